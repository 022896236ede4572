import type { Missing } from './tools.ts';

/** A check of the service with tools made by others. */
export interface Part {
  /** Name for `--only`. */
  readonly name: string;
  /** One line of `--help`. */
  readonly about: string;
  missing(): Missing;
  /** Runs the check in an empty folder, and prints its progress. Rejects with the reason if it fails. */
  run(folder: string): Promise<void>;
}
