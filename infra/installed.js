// Ends a script of package.json in one sentence where nothing is installed. In JavaScript, since without `npm ci` Node.js may be
// an older one, which reads no TypeScript.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

if (!existsSync(new URL('../node_modules', import.meta.url))) {
  process.stderr.write(
    'Run "npm ci" first: it installs what this needs, and the version of Node.js that runs it.\n',
  );
  process.exit(1);
}
