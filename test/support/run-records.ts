import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable that names the folder of a run's records, if another run is to read them. */
export const recordsVariable = 'NOTES_FOLDER';

/** Files of what the machines of a test run did: one record a line. */
export interface RunRecords {
  /** Permissions that functions used: see `asked.ts`. */
  asked: string;
  /** Lines of all logs: see `logged.ts`. */
  logged: string;
  /** Texts that clients sent: see `sent.ts`. */
  sent: string;
}

/** Names the files of records in a folder, and makes the folder. */
export function runRecordsIn(folder: string): RunRecords {
  mkdirSync(folder, { recursive: true });
  const file = (name: keyof RunRecords) => join(folder, `${name}.jsonl`);
  return { asked: file('asked'), logged: file('logged'), sent: file('sent') };
}
