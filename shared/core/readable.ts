import { cutText } from './cut-text.ts';

/**
 * Removes control characters except tabs and line breaks, and replaces half surrogate pairs by U+FFFD. For text from
 * outside that is never refused: the result can always be stored, and shows where a character was lost.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]/gu, '');

/**
 * Removes the characters that requests may not have (`text` in `shared/contract/fields.ts`), so that a client can send
 * back every text that it reads.
 */
export const readable = (text: string): string => storable(text).replaceAll('\uFFFD', '');

/** A readable text in one trimmed line of at most `max` Unicode code points. */
export const readableLine = (text: string, max: number): string =>
  cutText(readable(text).trim().replaceAll(/\s+/g, ' '), max);
