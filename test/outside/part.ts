/** A check of the service with tools made by others. */
export interface Part {
  /** Name for `--only`. */
  readonly name: string;
  /** One line of `--help`. */
  readonly about: string;
  /** Says in a sentence which tools are missing. Undefined if they are there. */
  missing(): Promise<string | undefined>;
  /** Runs the check, and prints its progress. Rejects with the reason if it fails. */
  run(): Promise<void>;
}
