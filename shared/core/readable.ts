import { cutText } from './cut-text.ts';

/** A text as requests may have it (`text` in `shared/contract/fields.ts`), so that one who has read it can send it back. */
export const readable = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|\uFFFD/gu, '');

/** The same as one line, trimmed, of at most `max` Unicode code points. */
export const readableLine = (text: string, max: number): string =>
  cutText(readable(text).trim().replaceAll(/\s+/g, ' '), max);
