import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** Files that an assembly is made of. npm lists the installed packages in the last file. */
export const sources = [
  '{functions,shared}/**/*.ts',
  'infra/**/*.{ts,js,css}',
  'docs/**/*.*',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
];

/**
 * Version of a project's sources, by their times and sizes. Each request asks for it, so it leaves out code that no
 * template has: the local machine's own code, which a running machine keeps, and the commands.
 */
export function sourcesVersion(project = root): string {
  const versions = globSync(sources, {
    cwd: project,
    exclude: ['infra/{admin,local,release,trades}/**'],
  }).map((file) => {
    const stats = statSync(join(project, file), { throwIfNoEntry: false });
    return `${file} ${stats?.mtimeMs ?? 0} ${stats?.size ?? 0}`;
  });
  return versions.sort().join('\n');
}

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
