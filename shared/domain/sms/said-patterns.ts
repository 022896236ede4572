import {
  asides,
  clearPhrases,
  courtesies,
  explaining,
  greetings,
  places,
  pleas,
  shortPhrases,
  thanks,
  wordsAfter,
  wordsBefore,
  wordsBeforeClear,
} from './stop-phrases.ts';

// The patterns match a clause as `Clause.said` has it: with a space in front of each word. No two choices of a repeated group
// are equal, because such a pattern can take exponential time.

const oneOf = (...choices: readonly string[]): string => ` (?:${choices.join('|')})`;
const any = (...choices: readonly string[]): string => `(?:${oneOf(...choices)})*`;
const upTo = (words: number): string => String.raw`(?: \S+){1,${words}}`;
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

/** The pattern of a phrase. */
const patternOf = (phrase: string): string =>
  phrase
    .split(' ')
    .map((token) => {
      const [, optional] = /^\[(.+)\]$/.exec(token) ?? [];
      const word = oneOf(...(optional ?? token).split('/').map((one) => places[one] ?? one));
      return optional === undefined ? word : `(?:${word})?`;
    })
    .join('');
const phrase = (phrases: readonly string[]): string => `(?:${phrases.map(patternOf).join('|')})`;

/** A greeting with a name, without a comma behind the name. */
const greeting = `(?:${oneOf(greetings)}${upTo(2)}(?=${oneOf(pleas, 'can', 'could')}))?`;
/** Thanks with a name behind it. */
const thanksTo = `(?:${oneOf(thanks)}${upTo(2)})?`;

const named = `${oneOf(greetings)}${upTo(3)}|${oneOf(thanks)}${upTo(2)}|${oneOf(thanks)} for${upTo(6)}`;

/** Matches a clause of courtesies. */
export const courtesy = whole(`(?:${oneOf(courtesies)})+|${named}`);

/** Matches a clause of courtesies and of words that add nothing to a wish to stop. */
export const aside = whole(`(?:${oneOf(courtesies, asides, wordsBefore, wordsAfter)})+|${named}`);

/** Matches a clause with one of these words, and otherwise courtesies. */
export const withCourtesies = (words: string): RegExp =>
  whole(any(courtesies) + oneOf(words) + any(courtesies, words) + thanksTo);

/** Matches a clause that is a clear wish to stop. */
export const clearWish = whole(
  greeting +
    any(courtesies, asides, wordsBefore, wordsBeforeClear) +
    phrase(clearPhrases) +
    any(courtesies, asides, wordsAfter) +
    `(?:${thanksTo}|${oneOf(explaining)}.*)`,
);

/** Matches a clause that is a wish to stop if the text says nothing else. */
export const shortWish = whole(
  greeting +
    any(courtesies, asides, wordsBefore) +
    `(?:${phrase(shortPhrases)}${any(courtesies, asides, wordsAfter)})+` +
    thanksTo,
);
