import type { Item } from './attributes.ts';

/**
 * A format of small numbers packed into number attributes of one item. A transaction can then change them without a
 * read: DynamoDB can add to a number, but cannot set a bit. An attribute holds 52 bits, because a double is exact up to
 * 53 bits. The attribute's name is its position in upper-case base 36.
 *
 * - Holes of a bucket: 4096 numbers of 1 bit, under 1 KB if all are set.
 * - Counts by bucket: numbers of 13 bits, under 1 KB for a list of a million members.
 */
export interface Packing {
  /** Bits of each number, a divisor of 52. */
  readonly bits: 1 | 13;
}

const wordBits = 52;

export const holeBits: Packing = { bits: 1 };
export const countBits: Packing = { bits: 13 };

/**
 * Amount to add to each attribute to increase the numbers at these positions by one each. A position may
 * repeat.
 */
export function increments({ bits }: Packing, positions: readonly number[]): Map<string, number> {
  const perWord = wordBits / bits;
  const words = new Map<string, number>();
  for (const position of positions) {
    const name = wordName(Math.floor(position / perWord));
    words.set(name, (words.get(name) ?? 0) + 2 ** ((position % perWord) * bits));
  }
  return words;
}

/**
 * The numbers of an item that are not 0, by position. @throws Error for an attribute that is no packed number
 */
export function unpack({ bits }: Packing, item: Item): Map<number, number> {
  const perWord = wordBits / bits;
  const size = 2 ** bits;
  const numbers = new Map<number, number>();
  for (const [name, value] of Object.entries(item)) {
    if (!/^[0-9A-Z]+$/.test(name)) continue;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value >= 2 ** wordBits) {
      throw new Error(`The attribute ${name} is no packed number`);
    }
    const first = parseInt(name, 36) * perWord;
    for (let at = 0, rest = value; rest > 0; at++, rest = Math.floor(rest / size)) {
      if (rest % size !== 0) numbers.set(first + at, rest % size);
    }
  }
  return numbers;
}

const wordName = (word: number) => word.toString(36).toUpperCase();
