import { existsSync, readFileSync, rmSync } from 'node:fs';
import * as v from 'valibot';
import { writeAtomically } from '../files.ts';

const FileText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/**
 * File of the phone numbers of leads that are being erased, by lead id. A number stays until all traces are
 * removed, because the lead itself goes first, and an erasure can take several requests and starts.
 */
export class ErasingNumbers {
  readonly #file: string;
  readonly #say: (sentence: string) => void;

  /** @param say prints a sentence about a file that this class cannot read */
  constructor(file: string, say: (sentence: string) => void) {
    this.#file = file;
    this.#say = say;
  }

  /** Phone number of a lead; undefined if none was kept. */
  of(leadId: string): string | undefined {
    return this.#read()[leadId];
  }

  keep(leadId: string, number: string): void {
    this.#write({ ...this.#read(), [leadId]: number });
  }

  forget(leadId: string): void {
    const { [leadId]: known, ...others } = this.#read();
    if (known !== undefined) this.#write(others);
  }

  #read(): Record<string, string> {
    if (!existsSync(this.#file)) return {};
    const { success, output } = v.safeParse(FileText, readFileSync(this.#file, 'utf8'));
    if (success) return output;
    // The numbers are lost. An unreadable file that stayed would block every erasure.
    rmSync(this.#file);
    this.#say(
      `${this.#file} cannot be read, and is begun anew. If erasures of leads had begun, texts of these leads may stay in the ` +
        'queues and their dead letters.',
    );
    return {};
  }

  #write(numbers: Record<string, string>): void {
    if (Object.keys(numbers).length === 0) rmSync(this.#file, { force: true });
    else writeAtomically(this.#file, JSON.stringify(numbers));
  }
}
