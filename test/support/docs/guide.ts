import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { requestOf } from '../../../infra/site/requests.ts';

/** Block of code in a guide. */
export interface GuideBlock {
  language: string;
  text: string;
}

/** Reads a guide, with an organization's code in place of the code in its examples. */
export const guideOf = (page: string, code: string): string =>
  readFileSync(join(root, `docs/${page}.md`), 'utf8').replaceAll('6H8EV880', code);

/** Blocks of code of a guide that are commands or JSON, in their order. */
export const blocksOf = (guide: string): GuideBlock[] =>
  [...guide.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text: text.trim(),
  }));

/** Answer to a command. `body` is the text if that is no JSON. */
export interface CurlAnswer {
  status: number;
  body: unknown;
}

/** Sends the request of a curl command. */
export async function curl(command: string, variables: Record<string, string | number>): Promise<CurlAnswer> {
  const filledIn = (text: string) =>
    text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => String(variables[name]));
  const { method, url, headers, body } = requestOf(command);
  const filled = headers.map(([name, value]): [string, string] => [name, filledIn(value)]);
  return answerTo(
    await fetch(filledIn(url), {
      method,
      headers: filled,
      ...(body !== undefined && { body: filledIn(body) }),
    }),
  );
}

/** Reads an answer. */
export async function answerTo(response: Response): Promise<CurlAnswer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = (headers.get('content-type') ?? '').includes('json');
  return { status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** True if a value has the fields of another at any depth, whatever their values. A list has members of one kind. */
export function isAs(value: unknown, shown: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(shown))
    return value.every((one) => shown.length > 0 && isAs(one, shown[0]));
  if (typeof value !== 'object' || typeof shown !== 'object' || value === null || shown === null)
    return typeof value === typeof shown;
  const names = Object.keys(value).sort();
  const fieldOf = (of: object, name: string): unknown => Reflect.get(of, name);
  return (
    names.join() === Object.keys(shown).sort().join() &&
    names.every((name) => isAs(fieldOf(value, name), fieldOf(shown, name)))
  );
}

/** True if a value has the fields of a shortened one at any depth, of the same types. Members of a list are of one kind. */
export function isShortenedTo(value: unknown, shown: unknown): boolean {
  if (Array.isArray(shown))
    return Array.isArray(value) && value.length > 0 && value.every((one) => isShortenedTo(one, shown[0]));
  if (typeof shown !== 'object' || shown === null) return typeof value === typeof shown;
  const fieldOf = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return Object.entries(shown).every(([name, field]) => isShortenedTo(fieldOf(name), field));
}
