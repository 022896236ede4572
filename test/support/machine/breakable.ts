import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTemplate } from '../../../infra/local/template/template.ts';

/** Faults of a function, each outside the code that answers 500: so the function logs nothing itself. */
const faults = {
  throws: `throw new Error('Broken')`,
  crashes: 'process.exit(1)',
  hangs: `while (fault() === 'hangs') await new Promise((resolve) => setTimeout(resolve, 10))`,
  /** Takes effect only if the function has not run yet. */
  'does not find its provider': `process.env['AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2'] = 'http://127.0.0.1:1'`,
};
type FunctionFault = keyof typeof faults;

export interface Breakable {
  breakIt: (how: FunctionFault) => void;
  mend: () => void;
}

/**
 * Prepares a function of a machine, which must not have run it yet. A test can then break and mend the
 * function.
 * @param description the beginning of the function's description, such as `GET /v1/leads:`
 */
export function breakable(assembly: string, description: string): Breakable {
  const functions = readTemplate(assembly).functions.filter((one) => one.description.startsWith(description));
  const [found] = functions;
  if (!found || functions.length > 1) throw new Error(`${description} begins ${functions.length} functions`);
  const index = join(found.folder, 'index.mjs');
  const file = join(found.folder, 'fault');
  renameSync(index, join(found.folder, 'whole.mjs'));
  writeFileSync(index, code);
  return {
    breakIt: (how) => {
      writeFileSync(file, how);
    },
    mend: () => {
      rmSync(file, { force: true });
    },
  };
}

const code = `
import { existsSync, readFileSync } from 'node:fs';
const file = new URL('fault', import.meta.url);
const fault = () => existsSync(file) ? readFileSync(file, 'utf8') : undefined;
const faults = {${Object.entries(faults)
  .map(([name, what]) => `${JSON.stringify(name)}: async () => { ${what}; }`)
  .join(',\n')}};
export const handler = async (event, context) => {
  await faults[fault()]?.();
  return (await import('./whole.mjs')).handler(event, context);
};
`;
