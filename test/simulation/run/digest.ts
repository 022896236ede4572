import { crc32 } from 'node:zlib';

/** A hash over all that a run sees, so that two runs can be told the same. */
export class Digest {
  #value = 0;

  add(text: string): void {
    this.#value = crc32(text, this.#value);
  }

  get text(): string {
    return this.#value.toString(16).padStart(8, '0');
  }
}
