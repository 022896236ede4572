import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import * as v from 'valibot';
import { root } from '../root.ts';

/** Formats text as `npm run format` formats a file with this name. @throws Error for text that cannot be parsed */
export async function formatAs(file: string, text: string): Promise<string> {
  const settings: unknown = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'));
  const { code, errors } = await format(file, text, v.parse(v.looseObject({}), settings));
  if (errors[0]) throw new Error(`${file} cannot be formatted: ${errors[0].message}`);
  return code;
}
