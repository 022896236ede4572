import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';

const guide = 'docs/guides/forms.md';
const address = /https:\/\/api\.example\.com(\/v1\/forms\/submissions\?key=)sk_live_…/;

/** Reads the code of the guide that people paste, and fills in the address of the service and the key. */
export function pasted(language: 'html' | 'js', baseUrl: string, key: string): string {
  const text = readFileSync(join(root, guide), 'utf8');
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? [];
  if (!address.test(code)) throw new Error(`${guide} has no ${language} that posts to an example's address`);
  return code.replace(address, (_, path: string) => `${baseUrl}${path}${key}`);
}
