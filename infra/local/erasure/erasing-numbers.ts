import { existsSync, readFileSync, rmSync } from 'node:fs';
import * as v from 'valibot';
import { writeAtomically } from '../write-atomically.ts';

const FileText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/**
 * The phone numbers of leads that are being erased, by the leads' ids, in a file until all traces are gone: the lead goes
 * first, and an erasure can take several requests, and starts.
 */
export class ErasingNumbers {
  readonly #file: string;
  readonly #say: (sentence: string) => void;

  /** `say` is told of a file that is not as this class writes it. */
  constructor(file: string, say: (sentence: string) => void) {
    this.#file = file;
    this.#say = say;
  }

  /** The number of a lead; undefined where none was kept. */
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
    // What it was worth is lost; kept, it would be in the way of every erasure.
    rmSync(this.#file);
    this.#say(
      `${this.#file} could not be understood, and is begun anew: of leads whose erasure had begun, texts that came in may stay in ` +
        'the queues and their dead letters.',
    );
    return {};
  }

  #write(numbers: Record<string, string>): void {
    if (Object.keys(numbers).length === 0) rmSync(this.#file, { force: true });
    else writeAtomically(this.#file, JSON.stringify(numbers));
  }
}
