import { appendFileSync, readFileSync } from 'node:fs';
import type { HttpRequest } from '../../infra/local/http-message.ts';
import { leavesOf, parsedOr } from './json-leaves.ts';

/** Writes the texts of each request's body, query and token into a file, each once. */
export function recordSentIn(file: string): (request: HttpRequest) => void {
  const noted = new Set<string>();
  return ({ headers, target, body }) => {
    const authorizations = headers.filter(([name]) => name.toLowerCase() === 'authorization');
    const [, query = ''] = target.split(/\?(.*)/s);
    const isForm = headers.some(([, value]) => value.startsWith('application/x-www-form-urlencoded'));
    const { names, texts } = leavesOf([
      isForm ? [...new URLSearchParams(body.toString()).values()] : parsedOr(body.toString()),
      authorizations.map(([, value]) => value),
      Object.fromEntries(new URLSearchParams(query)),
    ]);
    for (const text of [...names, ...texts]) {
      if (noted.has(text)) continue;
      noted.add(text);
      appendFileSync(file, `${JSON.stringify(text)}\n`);
    }
  };
}

/** Texts in a file of `recordSentIn`. */
export const readSent = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
