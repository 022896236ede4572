import { crc32 } from 'node:zlib';

/** Hash over everything that a run observes. Two runs with the same digest were the same. */
export class Digest {
  #value = 0;

  add(text: string): void {
    this.#value = crc32(text, this.#value);
  }

  get text(): string {
    return this.#value.toString(16).padStart(8, '0');
  }
}
