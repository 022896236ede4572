import { cutText } from './cut-text.ts';

/**
 * Removes the characters that requests may not have (`text` in `shared/contract/fields.ts`), so that a client
 * can send back what it reads.
 */
export const readable = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|\uFFFD/gu, '');

/** A readable text as one trimmed line of at most `max` Unicode code points. */
export const readableLine = (text: string, max: number): string =>
  cutText(readable(text).trim().replaceAll(/\s+/g, ' '), max);
