import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTemplate } from '../../infra/local/template/template.ts';

/** How a function can be broken: outside the code that answers 500, so that it leaves no line of its own. */
const faults = {
  throws: `throw new Error('Broken')`,
  crashes: 'process.exit(1)',
  hangs: `while (fault() === 'hangs') await new Promise((resolve) => setTimeout(resolve, 10))`,
  /** Only where the function has not run yet. */
  'does not find its provider': `process.env['AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2'] = 'http://127.0.0.1:1'`,
};
type FunctionFault = keyof typeof faults;

export interface Breakable {
  breakIt: (how: FunctionFault) => void;
  mend: () => void;
}

/**
 * A function of a machine that has not run it yet, which a test can break and mend.
 * @param description how the function's description begins, such as `GET /v1/leads:`
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
