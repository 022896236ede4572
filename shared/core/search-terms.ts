import { foldForSearch, lettersIn, withPlainMarks } from './fold-case.ts';

/** A term of a search, in the form that is compared. */
export type SearchTerm =
  | { kind: 'word'; text: string }
  | { kind: 'email'; text: string }
  /** Digits with what was written before them: `+`, `0` or nothing. */
  | { kind: 'number'; text: string };

/** Minimum number of digits in a search for a phone number. */
const fewestDigits = 4;

/** Maximum number of code points of a word that are compared. */
const longestWord = 40;

/** Text of a phone number, or of a part of it. */
const asNumber = /^\+?[\d().\-/+]+$/;

/** The first code points of a text. */
export const firstCodePoints = (text: string, count: number): string =>
  Array.from(text).slice(0, count).join('');

/** The digits of a phone number, from the last to the first. */
export const fromEnd = (phone: string): string => Array.from(phone.replace('+', '')).reverse().join('');

/**
 * Words of a text as it is written. An apostrophe belongs to its word and is left out, and any other mark ends a word:
 * `O’Connorly & Sons` has `OConnorly` and `Sons`.
 */
export const wordsIn = (text: string): string[] =>
  lettersIn(withPlainMarks(text).replaceAll("'", '')).map((word) => firstCodePoints(word, longestWord));

/** Words of a text, as a search compares them. */
export const foldedWords = (text: string): string[] =>
  wordsIn(text)
    .map(foldForSearch)
    .filter((word) => word !== '');

/**
 * Terms of what somebody typed to find a person: beginnings of words in any order, an email address, or a phone number.
 * Parts of a phone number that stand together are one number. Digits that are too few for a number are a word.
 */
export function searchTerms(typed: string): SearchTerm[] {
  const parts: string[] = [];
  for (const part of typed.trim().split(/\s+/)) {
    const before = parts.at(-1);
    const isOneNumber = before !== undefined && asNumber.test(before) && asNumber.test(part);
    parts.push(isOneNumber ? `${parts.pop()}${part}` : part);
  }
  return parts.flatMap((part): SearchTerm[] => {
    if (part.includes('@')) return [{ kind: 'email', text: part }];
    const digits = part.replace(/\D/g, '');
    if (asNumber.test(part) && digits.length >= fewestDigits)
      return [{ kind: 'number', text: part.startsWith('+') ? `+${digits}` : digits }];
    return foldedWords(part).map((text) => ({ kind: 'word', text }));
  });
}

/** Sentence that says what a search lacks; undefined if it lacks nothing. */
export function searchProblem(typed: string): string | undefined {
  const terms = searchTerms(typed);
  const isShortNumber =
    terms.length > 0 && terms.every(({ kind, text }) => kind === 'word' && /^\d+$/.test(text));
  if (isShortNumber) return `must have at least ${fewestDigits} digits of a phone number`;
  const isEnough = terms.some(({ kind, text }) => kind !== 'word' || Array.from(text).length > 1);
  return isEnough ? undefined : 'must have at least two characters';
}
