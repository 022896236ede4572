import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The environment variable that names the folder of what a run notes, where another run is to read it. */
export const recordsVariable = 'NOTES_FOLDER';

/** What is noted of a run of the tests, on any machine: a file of lines each. */
export interface RunRecords {
  /** What functions ask for: see `asked.ts`. */
  asked: string;
  /** The lines of all logs: see `logged.ts`. */
  logged: string;
  /** What clients sent: see `sent.ts`. */
  sent: string;
  /** The metrics that were emitted: see `emitted.ts`. */
  metrics: string;
}

/** The files of notes in a folder, which is made. */
export function runRecordsIn(folder: string): RunRecords {
  mkdirSync(folder, { recursive: true });
  const file = (name: keyof RunRecords) => join(folder, `${name}.jsonl`);
  return { asked: file('asked'), logged: file('logged'), sent: file('sent'), metrics: file('metrics') };
}
