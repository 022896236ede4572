import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { engineBinary } from '../../../infra/local/engine/engine-binary.ts';
import { freeAddress } from '../../../infra/local/engine.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';

const project = new ProjectCopy({ without: '@dynoxide' });
afterAll(() => project.remove());

/** Environment that makes Node.js, and every program that it starts, report another platform. */
const as = (platform: string, arch: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,for(const[name,value]of[['platform','${platform}'],['arch','${arch}']])Object.defineProperty(process,name,{value})`,
  // Otherwise esbuild would look for its program of that platform, and Node.js for that platform's temporary
  // folder.
  ESBUILD_BINARY_PATH: join(
    dirname(
      createRequire(import.meta.url).resolve(`@esbuild/${process.platform}-${process.arch}/package.json`),
    ),
    'bin/esbuild',
  ),
  TEMP: tmpdir(),
});

test('npm start as on Windows takes the engine of that platform', async () => {
  const [platform, arch, program] = ['win32', 'x64', 'dynoxide.exe'];
  const installed = join(project.folder, `node_modules/@dynoxide/${platform}-${arch}`, program);
  cpSync(engineBinary(), installed, { dereference: true });
  const start = project.start(['--port', '0', ...unthrottledOptions], as(platform, arch));
  const { baseUrl, tokens } = await start.ready();
  await new ApiClient(baseUrl, tokens[0]).call('createLead', { body: { name: 'Ann Lee' } });
  const started = descendants(start.pid);
  expect(started.length).toBeGreaterThanOrEqual(1);
  expect(await start.end()).toBe(0);
  await gone(started);
});

test('on macOS, which has one loopback address, the engine starts, too', async () => {
  // The first address belongs to no computer (RFC 5737).
  expect(await freeAddress(['192.0.2.1', '127.0.0.1'])).toMatchObject({ host: '127.0.0.1' });
  expect(await freeAddress(['127.1.2.3', '127.0.0.1'])).toMatchObject({ host: '127.1.2.3' });
});
