import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compileFunction } from 'node:vm';
import { expect } from 'vitest';
import { assignmentsIn, curlOf, isCurl, javaScriptOf } from '../../../infra/site/requests.ts';
import { isShortenedTo, type CurlAnswer } from './guide.ts';

/** Form of a request on the site: the curl command of the guide, or the JavaScript that the site makes of it. */
export type Form = 'curl' | 'js';

/** Values that a reader keeps, by their names in the guide. */
export type Kept = Record<string, string | number>;

/**
 * Plays a guide from top to bottom. Sends each request. If JSON comes right after a request, the answer must be as it
 * shows, and a refusal only if it shows an error. Keeps each value that the text calls "`path` as `NAME`". An assignment
 * of the guide is an example, and never replaces a value that is kept already.
 *
 * @param kept values that the reader has before, such as `API` and `TOKEN`
 * @returns the answers
 */
export async function playGuide(guide: string, form: Form, kept: Kept): Promise<CurlAnswer[]> {
  const answers: CurlAnswer[] = [];
  for (const [, code = '', shown, path = '', name] of guide.matchAll(playable)) {
    if (name !== undefined) kept[name] = valueAt(answers.at(-1)?.body, path);
    else if (isCurl(code)) {
      const answer = await senders[form](code, kept);
      answers.push(answer);
      expectAnswer(code, answer, JSON.parse(shown ?? '{}') as object);
    } else Object.assign(kept, { ...assignmentsIn(code), ...kept });
  }
  return answers;
}

/** Block of a shell with the JSON right after it, or values to keep. */
export const playable =
  /^```sh\n([\s\S]*?)\n```$(?:\n\n```json\n([\s\S]*?)\n```$)?|`([\w.]+)`\s+as\s+`([A-Z_]+)`/gm;

function expectAnswer(code: string, { status, body }: CurlAnswer, shown: object): void {
  const said = `${code}\n${status} ${JSON.stringify(body)}\nis not as ${JSON.stringify(shown)}`;
  expect(status >= 400, said).toBe('error' in shown);
  expect(isShortenedTo(body, shown), said).toBe(true);
}

/** Value of an answer at a path such as `slots.0.start`. */
function valueAt(answer: unknown, path: string): string | number {
  const value = path
    .split('.')
    .reduce<unknown>(
      (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
      answer,
    );
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`There is no ${path} in ${JSON.stringify(answer)}`);
}

const senders: Record<Form, (code: string, kept: Kept) => Promise<CurlAnswer>> = {
  curl: async (code, kept) => {
    const texts = Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]));
    const command = `${curlOf(code)} -w '\n%{http_code}'`;
    const { stdout } = await promisify(execFile)('sh', ['-c', command], {
      env: { ...process.env, ...texts },
    });
    const [, body = '', status] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? [];
    return { status: Number(status), body: /^[{[]/.test(body) ? (JSON.parse(body) as unknown) : body };
  },
  js: async (code, kept) => {
    const answers: CurlAnswer[] = [];
    const console = { log: (status: number, body: unknown) => answers.push({ status, body }) };
    const body = `return (async () => {\n${javaScriptOf(code)}\n})();`;
    const run = compileFunction(body, ['console', 'response', ...Object.keys(kept)]) as (
      ...values: unknown[]
    ) => Promise<void>;
    await run(console, undefined, ...Object.values(kept));
    const [answer] = answers;
    if (!answer) throw new Error(`The code prints no answer: ${code}`);
    return answer;
  },
};
