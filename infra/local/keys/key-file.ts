import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { writeAtomically } from '../files.ts';
import { LocalError } from '../local-error.ts';

const Keys = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.pipe(v.string(), v.base64())));

/**
 * Keys of the stand-in for KMS, by their ARNs. A file has the keys, so that encrypted data can be decrypted after
 * another start. Without a file, the keys are in memory.
 */
export class KeyFile {
  readonly #file: string | undefined;
  #keys: Record<string, string> | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
  }

  /**
   * The key with this ARN, which is made at its first use.
   * @throws LocalError if the file cannot be read, or a new key cannot be stored
   */
  keyOf(arn: string): Buffer {
    this.#keys ??= this.#read();
    const known = this.#keys[arn];
    if (known !== undefined) return Buffer.from(known, 'base64');
    const made = randomBytes(32);
    const keys = { ...this.#keys, [arn]: made.toString('base64') };
    if (this.#file !== undefined) writeAtomically(this.#file, JSON.stringify(keys));
    this.#keys = keys;
    return made;
  }

  #read(): Record<string, string> {
    if (this.#file === undefined || !existsSync(this.#file)) return {};
    const parsed = v.safeParse(Keys, readFileSync(this.#file, 'utf8'));
    if (parsed.success) return parsed.output;
    throw new LocalError(
      `${this.#file} holds the keys of secrets and cannot be read: put it back, or delete it and rotate each secret.`,
    );
  }
}
