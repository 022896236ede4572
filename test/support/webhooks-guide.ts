import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/functions.ts';

/** Program of docs/webhooks.md in a language, which is the heading that it stands under. */
export function guideProgram(heading: 'JavaScript' | 'Python' | 'Go' | 'Java' | 'A shell'): string {
  const [, section = ''] = readFileSync(join(root, 'docs/webhooks.md'), 'utf8').split(`\n### ${heading}\n`);
  const [, program] = /^```\w+\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (program === undefined) throw new Error(`docs/webhooks.md has no program under "${heading}"`);
  return program;
}
