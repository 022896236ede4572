import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { findContracts, isBundledApart } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { stackNameOf } from '../../../infra/stack/resource-names.ts';
import { newFolder } from '../../support/new-folder.ts';
import { templateOf, triedSettings } from '../../support/template/made-up-stack.ts';

const folder = newFolder();
const { functions } = await findContracts();
await runApp(folder, 'prod', { validate: true, settings: triedSettings });

test("CloudFormation's own rules find nothing", () => {
  expect(templateOf(folder, stackNameOf('prod')).violations).toEqual([]);
});

test('a function with a token has the code that it would have without the others, so that it loads no more chunks', async () => {
  const others = functions.filter((served) => !isBundledApart(served)).map(({ entry }) => entry);
  const alone = newFolder();
  const bundles = await bundle(others, alone, {});
  const deployed = globSync('*', { cwd: join(folder, 'functions') });
  for (const [entry, { folder: own }] of bundles) expect(deployed, entry).toContain(basename(own));
});

test('a function loads nothing that is for other places than Lambda', async () => {
  const bundles = join(folder, 'functions');
  const entries = globSync('*/index.mjs', { cwd: bundles });
  expect(entries).toHaveLength(functions.length);
  // Each pass of the bundler in one folder, so that a chunk of several functions is loaded once.
  const files = entries.map((file, at) => {
    const pass = join(folder, /^(?:serve-|keep-warm|get-open-api)/.test(file) ? 'second' : 'first');
    cpSync(join(bundles, dirname(file), 'chunks'), join(pass, 'chunks'), { recursive: true });
    cpSync(join(bundles, file), join(pass, `${at}.mjs`));
    return join(pass, `${at}.mjs`);
  });
  // Lambda's runtime loads `http` before the function, in a way that leaves undici out.
  const load = `require('http');
    Promise.all(${JSON.stringify(files)}.map((file) => import(file)))
      .then(() => process.stdout.write(JSON.stringify(process.moduleLoadList)));`;
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
    TABLE_NAME: 'test',
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', load], { env });
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain('NativeModule https');
  expect(loaded.filter((name) => /undici|readline/.test(name))).toEqual([]);
  // A function reads credentials and settings from its environment alone.
  for (const file of globSync('**/*.mjs', { cwd: bundles }))
    expect(readFileSync(join(bundles, file), 'utf8'), file).not.toMatch(/GetRoleCredentials|fs\/promises/);
});
