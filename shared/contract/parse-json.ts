import { malformedJsonAt, sentences } from './errors.ts';
import { invalid, type Failure } from '../core/failure.ts';

/** The value of a body. @throws Failure `invalid` for one that is no JSON */
export function parseJson(text: string): unknown {
  try {
    // It takes `__proto__` for a name as any other, which makes no prototype: see `sift`.
    return JSON.parse(text);
  } catch {
    throw malformedJson(text);
  }
}

/** Beyond so many characters the place of a mistake is not searched: each step of a search reads the text once more. */
const maxSearched = 256 * 1024;

/** Failure `invalid` of a body that is no JSON: it says where, unless that takes too long, and quotes nothing. */
function malformedJson(text: string): Failure {
  if (text.length > maxSearched) return invalid([{ field: '', message: sentences.malformedJson }]);
  const lines = text.slice(0, readableLength(text)).split(/\r\n|\r|\n/);
  return malformedJsonAt({ line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 });
}

/**
 * Length of the longest beginning of a text that could still become JSON: the mistake is behind it. JavaScript tells the place of
 * some mistakes alone; of others, such as a comma too many, it quotes what is around.
 */
function readableLength(text: string): number {
  const told = mistakeIn(text);
  if (typeof told === 'number') return told;
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

/** Position of the mistake in a text; `untold`, or undefined where there is none. */
function mistakeIn(text: string): number | 'untold' | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message === 'Unexpected end of JSON input') return text.length;
    // At the end alone: before it, the message may quote the text.
    const [, position] = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
    return position === undefined ? 'untold' : Number(position);
  }
}
