import type { Fields } from '../same.ts';

/** Numbers of a list per note of who left: see `data-model.md`. */
const bucketSize = 4096;
/** How many of the newest numbers a list's state tells the holes of. */
const windowSize = 128;
/** How many bits of a packed attribute are used. */
const wordBits = 52;

/** A list, by the numbers that its members got when they joined: the first is 1. */
export interface Numbers {
  /** The last number that was given out. */
  last: number;
  /** How many of them have left. */
  left: number;
  /** Whether the member of a number has. */
  hasLeft: (number: number) => boolean;
}

/** The text that the head, the owner or an item of its own tells of a list. */
export function stateText({ last, left, hasLeft }: Numbers): string {
  if (left === 0) return String(last);
  const bytes: number[] = [];
  for (let first = 0; first < windowSize; first += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) if (hasLeft(last - first - bit)) byte += 2 ** bit;
    bytes.unshift(byte);
  }
  const start = bytes.findIndex((byte) => byte > 0);
  const window = start < 0 ? '' : `~${Buffer.from(bytes.slice(start)).toString('base64url')}`;
  return `${last}-${left}${window}`;
}

/** Whether how many have left is also noted by bucket. */
export const hasCounts = (last: number) => last > bucketSize;

export const bucketOf = (number: number) => Math.floor((number - 1) / bucketSize);

/** The attributes of the note of who left a bucket. */
export function holesItem({ hasLeft }: Numbers, bucket: number): Fields {
  const offsets = Array.from({ length: bucketSize }, (_, offset) => offset);
  const left = offsets.filter((offset) => hasLeft(bucket * bucketSize + offset + 1));
  return packed(
    1,
    left.map((offset) => [offset, 1]),
  );
}

/** The attributes of the note of how many have left, in all and of each bucket while that was noted. */
export const countsItem = (left: number, counted: ReadonlyMap<number, number>): Fields => ({
  left,
  ...packed(13, [...counted]),
});

/** Small numbers in attributes of 52 bits, by their places. */
function packed(bits: number, numbers: readonly (readonly [place: number, number: number])[]): Fields {
  const perWord = wordBits / bits;
  const words: Record<string, number> = {};
  for (const [place, number] of numbers) {
    const name = Math.floor(place / perWord)
      .toString(36)
      .toUpperCase();
    words[name] = (words[name] ?? 0) + number * 2 ** ((place % perWord) * bits);
  }
  return words;
}
