import { malformedJsonAt, sentences } from './errors.ts';
import { invalid, type Failure } from '../core/failure.ts';

/** Parses a body. @throws Failure `invalid` for malformed JSON */
export function parseJson(text: string): unknown {
  try {
    // `JSON.parse` makes `__proto__` an ordinary field, which sets no prototype: see `normalizeBody`.
    return JSON.parse(text);
  } catch {
    throw malformedJson(text);
  }
}

/** Maximum length of a text that is searched for its mistake. Each step of the search reads the whole text. */
const maxSearched = 256 * 1024;

/**
 * Failure `invalid` for malformed JSON. Names the position, unless the search would take too long, or the encoding if
 * the text is UTF-16. Quotes nothing of the text.
 */
function malformedJson(text: string): Failure {
  // In UTF-16, a zero byte is beside each character of JSON. UTF-8 keeps the zero bytes.
  if (text.slice(0, 4).includes('\0')) return invalid([{ field: '', message: sentences.wideText }]);
  if (text.length > maxSearched) return invalid([{ field: '', message: sentences.malformedJson }]);
  const lines = text.slice(0, readableLength(text)).split(/\r\n|\r|\n/);
  return malformedJsonAt({ line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 });
}

/**
 * Length of the longest beginning of a text that could still become JSON. The mistake is behind this beginning.
 * JavaScript gives the position of only some mistakes. For other mistakes, such as a trailing comma, JavaScript quotes
 * the text around the mistake.
 */
function readableLength(text: string): number {
  const position = mistakeIn(text);
  if (typeof position === 'number') return position;
  let [least, most] = [0, text.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    const beginning = text.slice(0, middle);
    const mistake = mistakeIn(beginning);
    if (mistake === undefined || mistake === beginning.length) least = middle;
    else most = middle - 1;
  }
  return least;
}

/**
 * Position of the mistake in a text. `unspecified` if JavaScript does not give the position. Undefined if there is no
 * mistake.
 */
function mistakeIn(text: string): number | 'unspecified' | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message === 'Unexpected end of JSON input') return text.length;
    // Only at the end of the message: the rest of the message may quote the text.
    const [, position] = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
    return position === undefined ? 'unspecified' : Number(position);
  }
}
