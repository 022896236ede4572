import { foldForSearch } from './fold-case.ts';

/** Texts by which something is found. A word of its title says more of it than one of its body. */
export interface Searched {
  title: string;
  body: string;
}

/** English words that say nothing of a topic. */
const fillers = new Set(
  (
    'a about am an and any are as at be been but by can could d do does for from had has have hello hi how i if in ' +
    'is it its ll m me my need not of on or our please re s should so some that the their them there they this to ' +
    've want was we were what when where which who why will with would you your'
  ).split(' '),
);

/**
 * Finds those that have a word of a text, the best first, each with its score; equal ones stay in their order. A word
 * that few of them have counts for more than one that many have. Words are compared without case, accents and short
 * endings: `leak` finds `Leaking`, and `emergencies` finds `emergency`.
 */
export function bestMatches<T>(
  all: readonly T[],
  text: string,
  searchedOf: (one: T) => Searched,
): { one: T; score: number }[] {
  const found = all.map((one) => {
    const { title, body } = searchedOf(one);
    return { one, title: wordsOf(title), body: wordsOf(body), score: 0 };
  });
  for (const word of soughtWords(text)) {
    const isIn = (words: ReadonlySet<string>) => [...words].some((other) => isSameWord(word, other));
    const scores = found.map(({ title, body }) => (isIn(title) ? 2 : isIn(body) ? 1 : 0));
    const having = scores.filter((score) => score > 0).length;
    for (const [at, each] of found.entries()) each.score += (scores[at] ?? 0) / Math.max(having, 1);
  }
  return found.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
}

/** Words of a text to be found: without the fillers, unless there is nothing else. */
function soughtWords(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const telling = words.difference(fillers);
  return telling.size > 0 ? telling : words;
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(foldForSearch(text).match(/[\p{Letter}\p{Mark}\p{Number}]+/gu) ?? []);

/** True for a word and its longer forms: `tap` and `taps`, `price` and `pricing`. */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 3 || long.length - short.length > (short.length === 3 ? 1 : 3)) return false;
  return long.startsWith(short.length > 4 ? short.slice(0, -1) : short);
}
