/** One thing that tools made by others show of the service. */
export interface Part {
  /** What `--only` calls it. */
  readonly name: string;
  /** What it does, in one line of `--help`. */
  readonly about: string;
  /** A sentence that says why it is left out here, where its tools are not there; undefined where they are. */
  missing(): Promise<string | undefined>;
  /** Does it, and prints how it goes. Rejects with what failed. */
  run(): Promise<void>;
}
