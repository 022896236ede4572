import type { Fields } from '../same.ts';

/** Numbers of a list per hole item: see `data-model.md`. */
const bucketSize = 4096;
/** Number of newest ranks whose holes a list's state contains. */
const windowSize = 128;
/** Number of bits used of a packed attribute. */
const wordBits = 52;

/** Ranks of a list's members. The first is 1. */
export interface Numbers {
  /** Last rank given out. */
  last: number;
  /** Number of members that left. */
  left: number;
  /** True if the member of this rank left. */
  hasLeft: (number: number) => boolean;
}

/** Stored state of a list, in the head, in its owner or in an item of its own. */
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

/** True if the number of holes is also counted by bucket. */
export const hasCounts = (last: number) => last > bucketSize;

export const bucketOf = (number: number) => Math.floor((number - 1) / bucketSize);

/** Attributes of the hole item of a bucket. */
export function holesItem({ hasLeft }: Numbers, bucket: number): Fields {
  const offsets = Array.from({ length: bucketSize }, (_, offset) => offset);
  const left = offsets.filter((offset) => hasLeft(bucket * bucketSize + offset + 1));
  return packed(
    1,
    left.map((offset) => [offset, 1]),
  );
}

/** Attributes of the item that counts holes: in total, and by bucket since the service counts them. */
export const countsItem = (left: number, counted: ReadonlyMap<number, number>): Fields => ({
  left,
  ...packed(13, [...counted]),
});

/** Packs small numbers into attributes of 52 bits, by position. */
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
