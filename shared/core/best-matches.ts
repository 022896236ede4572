import { foldForSearch, lettersIn } from './fold-case.ts';

/** Texts to search in. A word in the title counts more than a word in the body. */
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
 * Finds the members of `all` that have a word of a text, each with its score, the best first. Members with the same
 * score stay in their order. A word that few members have counts more than a word that many have. Words are compared
 * without case, accents and short endings: `leak` finds `Leaking`, and `emergencies` finds `emergency`. Reads each
 * searched text once, however many words are sought.
 */
export function bestMatches<T>(
  all: readonly T[],
  text: string,
  searchedOf: (one: T) => Searched,
): { one: T; score: number }[] {
  const words = soughtWords(text);
  const read = readerFor(words);
  const found = all.map((one) => {
    const { title, body } = searchedOf(one);
    return { one, isInTitle: read(title), isInBody: read(body), score: 0 };
  });
  for (const word of Array.from(words, keysOf)) {
    const scores = found.map(({ isInTitle, isInBody }) => (isInTitle(word) ? 2 : isInBody(word) ? 1 : 0));
    const having = scores.filter((score) => score > 0).length;
    for (const [at, each] of found.entries()) each.score += (scores[at] ?? 0) / Math.max(having, 1);
  }
  return found.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
}

/** Words of a text to search for: without fillers, unless all words are fillers. */
function soughtWords(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const telling = words.difference(fillers);
  return telling.size > 0 ? telling : words;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(lettersIn(foldForSearch(text)));

/** Keys of a word. Two words count as the same if the own key of either word is a key of the other. */
interface Keys {
  own: string;
  /** The word's own key, and the own keys of its shorter forms: at most four in all. */
  all: readonly string[];
}

/** Returns a word's keys: `tap` shares a key with `taps`, and `price` with `pricing`. */
function keysOf(word: string): Keys {
  const { length } = word;
  const own = keyOf(word, length);
  const all = [own];
  const shortest = length === 4 ? 3 : Math.max(4, length - 3);
  for (let shorter = length - 1; shorter >= shortest; shorter -= 1) all.push(keyOf(word, shorter));
  return { own, all };
}

/** Own key of the words of a length that begin as this word does. From five letters on, the last letter may differ. */
const keyOf = (word: string, length: number) =>
  `${length} ${word.slice(0, length > 4 ? length - 1 : length)}`;

const beginningOf = (word: string) => word.slice(0, 3);

/**
 * Returns a reader of texts. The reader reads a text once, and returns a function that is true if a sought word is in
 * the text. The reader keeps only the keys that a sought word has.
 */
function readerFor(sought: ReadonlySet<string>): (text: string) => (word: Keys) => boolean {
  const keys = Array.from(sought, keysOf);
  const soughtOwn = new Set(keys.map(({ own }) => own));
  const soughtAll = new Set(keys.flatMap(({ all }) => all));
  // Two words that are the same have the same beginning. So most words of a text need no keys.
  const beginnings = new Set(Array.from(sought, beginningOf));
  return (text) => {
    const owns = new Set<string>();
    const alls = new Set<string>();
    for (const word of wordsOf(text)) {
      if (!beginnings.has(beginningOf(word))) continue;
      const { own, all } = keysOf(word);
      if (soughtAll.has(own)) owns.add(own);
      for (const key of all) if (soughtOwn.has(key)) alls.add(key);
    }
    return ({ own, all }) => alls.has(own) || all.some((key) => owns.has(key));
  };
}
