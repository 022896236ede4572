/** A longer name is not compared, because the work grows with the length. */
const longest = 40;

/**
 * The known name that a client most likely meant by an unknown name; undefined if no name is near. A name is near if it
 * has the same letters (`first_name`), one or two mistakes (`emial`), or all words of the other name (`phoneNumber`).
 */
export function nearName(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > longest) return undefined;
  const sent = wordsOf(unknown);
  const ranked = known.flatMap((name) => {
    const rank = rankOf(sent, wordsOf(name));
    return rank === undefined ? [] : [{ name, rank }];
  });
  const [first, second] = ranked.sort((one, other) => one.rank - other.rank);
  return first?.rank === second?.rank ? undefined : first?.name;
}

/** Rank of a known name: the lower, the nearer; undefined if it is not near. */
function rankOf(sent: readonly string[], known: readonly string[]): number | undefined {
  const [one, other] = [sent.join(''), known.join('')];
  const mistakes = mistakesBetween(one, other);
  if (mistakes <= Math.min(2, Math.min(one.length, other.length) / 3)) return mistakes;
  const [fewer, more] = sent.length < known.length ? [sent, known] : [known, sent];
  if (fewer.length === 0 || !fewer.every((word) => more.includes(word))) return undefined;
  // Of `emailAddress`, `email` is nearer than `address`.
  return 10 * (1 + more.length - fewer.length) + more.indexOf(fewer[0] ?? '');
}

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Fewest letters to add, drop, replace, or swap with their neighbour, until the names are the same. */
function mistakesBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next.push(
        Math.min(
          (last[at] ?? 0) + 1,
          (next[at - 1] ?? 0) + 1,
          (last[at - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && row > 1 && at > 1 ? (beforeLast[at - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
