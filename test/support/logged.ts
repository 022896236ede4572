import { appendFileSync, readFileSync } from 'node:fs';
import { leavesOf, parsedOr } from './json-leaves.ts';

/** Notes in a file each line that a log gets, as text. Several machines may share the file. */
export const recordLoggedIn =
  (file: string) =>
  (_group: string, line: string): void => {
    appendFileSync(file, `${line}\n`);
  };

/** The lines that were noted in a file. */
export const readLogged = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

/** What lines of logs hold, each text once: what can be searched for a value that someone sent. */
export function searchable(lines: readonly string[]): string {
  const { names, texts, others } = leavesOf(lines.map(parsedOr));
  return [...names, ...texts, ...others].filter((text) => !madeHere.test(text)).join('\n');
}

/** The ids of requests, and times: there are as many as lines. */
const madeHere = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z|1[78]\d{11})$/;
