// Runs a script of package.json: `node infra/run-script.js FILE ARGUMENTS`. It is in JavaScript because an older Node.js refuses a
// TypeScript file before its first line, and could not say which command to use.
import './installed.js';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const root = new URL('../', import.meta.url);
const [file = '', ...args] = process.argv.slice(2);

if (!process.features.typescript) {
  const lines = readFileSync(new URL('package.json', root), 'utf8').split('\n');
  const [, name = 'start'] = lines.find((line) => line.includes(` ${file}`))?.split('"') ?? [];
  process.stderr.write(
    `Run "npm run ${name}": it uses the Node.js that "npm ci" installed. This is ${process.version}, which runs no TypeScript.\n`,
  );
  process.exit(1);
}

const program = new URL(file, root);
process.argv = [process.execPath, fileURLToPath(program), ...args];
await import(program.href);
