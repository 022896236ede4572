import { sourcesVersion } from './synthesize.ts';

/** Keeps the current sources running. After a change, callers wait until the new sources are loaded. */
export class SourceChanges {
  readonly #reload: () => Promise<void>;
  /** The latest version that was loaded, whether or not it runs. */
  #version: string;
  /** Error of the current sources, if they do not run. */
  #broken: Error | undefined;
  #reloading: Promise<void> | undefined;

  constructor(version: string, reload: () => Promise<void>) {
    this.#version = version;
    this.#reload = reload;
  }

  /**
   * Waits until the current version runs.
   * @throws the error that prevents it
   */
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
