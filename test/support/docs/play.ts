import { expect } from 'vitest';
import { curl, isShortenedTo, type CurlAnswer } from './guide.ts';

/** Value at a path such as `slots.0.start`. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
      value,
    );

/**
 * Sends each request of a guide in their order, and checks that its answers are as shown. Keeps the values that the text
 * tells the reader to keep, such as "`lead.id` as `LEAD`", in `variables`, and the values of assignments that are not
 * there.
 */
export async function play(guide: string, variables: Record<string, string>): Promise<CurlAnswer[]> {
  const answers: CurlAnswer[] = [];
  const parts = guide.matchAll(/^```(sh|json)\n([\s\S]*?)^```$|`([\w.]+)` as `([A-Z_]+)`/gm);
  for (const [, language, block = '', path = '', name = ''] of parts) {
    const last = answers.at(-1)?.body;
    if (name !== '') {
      const value = valueAt(last, path);
      expect(['string', 'number'], `${path} of ${JSON.stringify(last)}`).toContain(typeof value);
      variables[name] = String(value);
    } else if (language === 'json') {
      const isAsShown = isShortenedTo(last, JSON.parse(block));
      expect(isAsShown, `${JSON.stringify(last)} is not as ${block}`).toBe(true);
    } else if (block.startsWith('curl')) {
      answers.push(await curl(block.trim(), variables));
    } else {
      for (const [, given = '', text = ''] of block.matchAll(/^(\w+)=(.+)$/gm)) variables[given] ??= text;
    }
  }
  return answers;
}
