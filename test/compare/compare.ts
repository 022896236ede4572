import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../infra/root.ts';
import { findMachine } from '../../infra/local/data-folder.ts';
import { descendants, gone, Start } from '../support/machine/project-copy.ts';

/**
 * Compares this tree with another checkout: `npm run compare -- ../other`. The packages of the other checkout must be
 * installed. Runs `npm start` in both, and sends each the requests of its own tests. Prints the difference of the
 * description, the templates, the answers with their costs, and the stored items. Chance and time are left out of all
 * of them.
 */
const [other] = process.argv.slice(2);
if (other === undefined) throw new Error('Name the folder of another checkout.');

const work = mkdtempSync(join(tmpdir(), 'compare-'));
const write = (tree: string, name: string, value: unknown) => {
  writeFileSync(join(work, tree, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`);
};

async function take(name: string, folder: string): Promise<void> {
  mkdirSync(join(work, name));
  const cdk = ['node_modules/.bin/cdk', 'synth', '--quiet', '-o', join(work, 'synth')];
  execFileSync(process.execPath, cdk, { cwd: folder });
  for (const file of readdirSync(join(work, 'synth')).filter((one) => one.endsWith('.template.json'))) {
    const text = readFileSync(join(work, 'synth', file), 'utf8').replaceAll(/[0-9a-f]{64}/g, 'HASH');
    write(name, file.replace('.json', ''), JSON.parse(text));
  }
  rmSync(join(work, 'synth'), { recursive: true });

  const data = join(work, `${name}-data`);
  const args = ['npm', 'start', '--', '--data', data, '--port', '0', '--engine-port', '0', '--no-watch'];
  const machine = new Start(folder, args, { TMPDIR: tmpdir() });
  try {
    const { baseUrl } = await machine.ready();
    write(name, 'description', await (await fetch(`${baseUrl}/openapi`)).json());
    const table = JSON.stringify(findMachine(data));
    const tell = [join(import.meta.dirname, 'tell.ts'), folder, baseUrl, table, join(work, name)];
    await promisify(execFile)(process.execPath, tell, { cwd: folder });
  } finally {
    const processes = descendants(machine.pid);
    await machine.end('SIGTERM');
    await gone(processes);
    rmSync(data, { recursive: true });
  }
}

await take('other', resolve(other));
await take('this', root);
const diff = ['diff', '--no-index', '--stat', '--patch', '-U3', 'other', 'this'];
const { stdout } = spawnSync('git', diff, { cwd: work, encoding: 'utf8', maxBuffer: 2 ** 28 });
process.stdout.write(stdout || 'The two trees are alike.\n');
rmSync(work, { recursive: true });
