import { appendFileSync, readFileSync } from 'node:fs';
import { leavesOf, parsedOr } from './json-leaves.ts';

/** Writes each line of a log into a file. Several machines may share the file. */
export const recordLoggedIn =
  (file: string) =>
  (_group: string, line: string): void => {
    appendFileSync(file, `${line}\n`);
  };

/** Lines in a file of `recordLoggedIn`. */
export const readLogged = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

/** Joins the names and values in log lines, each once: a text to search for a value that someone sent. */
export function searchable(lines: readonly string[]): string {
  const { names, texts, others } = leavesOf(lines.map(parsedOr));
  return [...names, ...texts, ...others].filter((text) => !madeHere.test(text)).join('\n');
}

/** Ids of requests, and times: left out of the search, since each line has others. */
const madeHere = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z|1[78]\d{11})$/;
