import { withPlainMarks } from '../../core/fold-case.ts';

/** A part of a text between punctuation marks. */
export interface Clause {
  /** The words in lower case, each with a space in front. Empty for a clause that is too long to be a wish. */
  said: string;
  /** The words as written. */
  words: readonly string[];
  /** True for the first clause of a line, and behind a dash. */
  beginsLine: boolean;
  /** True for a phone number, an email address or a website. */
  isContact: boolean;
}

/** Invisible characters, diacritics, hyphens, and control characters that are no spaces. */
const withinWords = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Pd}]|(?!\s)\p{Cc}/gu;

/** A text without marks and invisible characters in its words. */
const plain = (text: string): string => text.normalize('NFKD').replaceAll(withinWords, '');

/** The words of a text. */
export const wordsIn = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Line that a telephone adds, and everything below it. */
const footer = /\b(?:sent (?:from|via)|get outlook for) [^]*/i;
/** Ends of lines, and dashes that stand between words. */
const lineBreaks = /[\n\r–—]|(?<!\S)[\p{Pd}~]+|[\p{Pd}~]+(?!\S)/u;
const clauseBreaks = /[.,!?;]+(?!\S)/;

/** Characters of the longest text with a wish in people's words: no text message has more. */
const maxLength = 2000;
/** Number of words of the longest clause that can be a wish. */
const maxWords = 30;

/** The clauses of a text, without the line that a telephone adds; none of a text that is too long. */
export function clausesIn(text: string): Clause[] {
  if (text.length > maxLength) return [];
  const lines = text.replace(footer, '').split(lineBreaks);
  return lines.flatMap((line) =>
    plain(withPlainMarks(line).replaceAll("'", ''))
      .split(clauseBreaks)
      .map((part) => ({ part, words: wordsIn(part) }))
      .filter(({ words }) => words.length > 0)
      .map(({ part, words }, at) => ({
        said: words.length > maxWords ? '' : saidIn(words),
        words,
        beginsLine: at === 0,
        isContact: isContact(part),
      })),
  );
}

/** A word such as STOPPP is `stop`. */
const saidIn = (words: readonly string[]): string =>
  ` ${words.join(' ').toLowerCase()}`.replaceAll(/ sto+p+(?= |$)/g, ' stop');

const isContact = (part: string): boolean =>
  /@|www\.|https?:/i.test(part) ||
  (/^\P{L}*(?:\p{L}{1,6}\P{L}+)?$/u.test(part) && part.replaceAll(/\D/g, '').length >= 6);

/** Words within names that begin with a small letter. */
const withinNames = new Set(['and', 'of', 'the', 'de', 'der', 'van', 'von', 'la']);
const isName = ({ words }: Clause): boolean =>
  words.length <= 5 && words.every((word) => /^\p{Lu}/u.test(word) || withinNames.has(word));

/**
 * True if a text consists of clauses that are wishes, of clauses that add nothing, and of a signature behind a wish.
 */
export function consistsOf(
  clauses: readonly Clause[],
  isWish: (said: string) => boolean,
  addsNothing: RegExp,
): boolean {
  let [isWished, isClosed] = [false, false];
  for (const clause of clauses) {
    if (isWish(clause.said)) isWished = true;
    else if (addsNothing.test(clause.said) || (isWished && isSignature(clause, isClosed)))
      isClosed = isWished;
    else return false;
  }
  return isWished;
}

/** True if a clause behind a wish can be a name. `isClosed`: a courtesy or a name ended the wish. */
function isSignature(clause: Clause, isClosed: boolean): boolean {
  const { words, beginsLine, isContact } = clause;
  if (isContact) return true;
  if (beginsLine || isClosed) return isName(clause) || words.length <= (isClosed ? 2 : 1);
  return isName(clause) && words.length > 1 && words.every((word) => /\p{Ll}/u.test(word));
}
