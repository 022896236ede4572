import { sourcesVersion } from './synthesize.ts';

/** Runs the current sources: what reads them anew is asked after a file was changed, and nobody goes on before that. */
export class SourceChanges {
  readonly #reload: () => Promise<void>;
  /** The version that is running, or that does not run. */
  #version: string;
  /** Why the current sources do not run. */
  #broken: Error | undefined;
  #reloading: Promise<void> | undefined;

  constructor(version: string, reload: () => Promise<void>) {
    this.#version = version;
    this.#reload = reload;
  }

  /** Waits until the current version runs. @throws what keeps it from that */
  async follow(): Promise<void> {
    while (this.#reloading) await this.#reloading;
    const version = sourcesVersion();
    if (version !== this.#version) {
      this.#version = version;
      this.#reloading = this.#try().finally(() => (this.#reloading = undefined));
      await this.#reloading;
    }
    if (this.#broken) throw this.#broken;
  }

  async #try(): Promise<void> {
    try {
      await this.#reload();
      this.#broken = undefined;
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
    }
  }
}
