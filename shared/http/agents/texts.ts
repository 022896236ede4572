import * as v from 'valibot';
import { endsInside } from '../../core/from-stranger.ts';

/** Number of records on a page that a model reads. */
export const pageSize = 10;

/** Maximum length of a line of a list, so that a page stays short. */
const lineLength = 140;
/** Maximum length of a long text; the rest is read by another call. */
const textLength = 1500;

/** Page fields of a list's answer. */
export const pageFields = { currentPage: v.number(), totalCount: v.number() };

/** Maximum length of an appointment's line: ids are whole, with room for the names of ten attendees and a title. */
export const appointmentLength = 900;

/** Phrase that names the attendees; false for none. */
export const withNames = (names: readonly string[]): string | false =>
  names.length > 0 && `with ${names.map((name) => brief(name, 40)).join(' and ')}`;

/** Joins the parts of a line that are there. */
export const joined = (...parts: (string | number | false | null | undefined)[]): string =>
  parts.filter((part) => part !== '' && part !== false && part !== null && part !== undefined).join(', ');

/** Joins the lines that are there. */
export const joinedLines = (...lines: (string | false | undefined)[]): string =>
  lines.filter((line) => typeof line === 'string').join('\n');

/** Ends the text of a stranger that a cut has left open. */
const closed = (part: string) => (endsInside(part) ? `${part}»` : part);

/** Beginning of a text, of at most so many characters and the mark that ends the text of a stranger. */
export const cut = (text: string, length: number): string =>
  text.length > length ? closed(`${text.slice(0, length - 1)}…`) : text;

/** Shows a text of many lines in one line of at most so many characters. */
export const brief = (text: string, length = lineLength): string =>
  cut(text.replaceAll(/\s+/g, ' ').trim(), length);

/** Shows a page as a line for each record, and tells how to go on. Ids come first in a line, because its end may be cut. */
export function pageText(
  label: string,
  lines: readonly string[],
  { currentPage, totalCount }: { currentPage: number; totalCount: number },
  { size = pageSize, length = lineLength } = {},
): string {
  const left = totalCount - (currentPage - 1) * size - lines.length;
  return [
    `${label}: ${totalCount}`,
    ...lines.map((line) => brief(line, length)),
    ...(left > 0 && lines.length > 0 ? [`${left} more: page ${currentPage + 1}`] : []),
  ].join('\n');
}

/** Shows a long text from a character on, and tells how to go on. */
export function partText(text: string, from: number): string {
  const part = text.slice(from, from + textLength);
  const left = text.length - from - part.length;
  const shown = closed(endsInside(text.slice(0, from)) ? `«${part}` : part);
  return left > 0 ? `${shown}\n${left} more characters: from ${from + part.length}` : shown;
}
