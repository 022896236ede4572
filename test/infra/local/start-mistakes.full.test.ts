import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ProjectCopy } from '../../support/machine/project-copy.ts';

let project: ProjectCopy;
/** Files that a test has changed, with their text before. */
const changed = new Map<string, string>();
beforeAll(() => {
  project = new ProjectCopy();
});
afterEach(() => {
  for (const [file, text] of changed) project.write(file, text);
  changed.clear();
});
afterAll(() => project.remove());

function edit(file: string, from: string, to: string): void {
  changed.set(file, project.read(file));
  project.edit(file, from, to);
}

describe('a mistake is reported in one sentence', () => {
  test('an unknown option', async () => {
    const start = project.start(['--prot', '1']);
    expect(await start.ended()).toBe(1);
    expect(start.errors).toBe(`Unknown option '--prot': "npm start -- --help" lists the options.\n`);
  });

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = project.start(['--port', String(port), '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.errors).toBe(
      `Port ${port} is in use: stop what is running there, or choose another with --port.\n`,
    );
    other.close();
  });

  test('a contract that does not build', async () => {
    edit(
      'shared/contract/leads.ts',
      'export const listLeadsEndpoint = ',
      'export const listLeadsEndpoint = = ',
    );
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.errors).toMatch(/^shared\/contract\/leads\.ts:\d+ does not build: [^\n]+\n$/);
  });

  test('an endpoint without a function', async () => {
    const next = 'export const listFaqsEndpoint';
    edit('shared/contract/faqs.ts', next, `export const orphanEndpoint = { kind: 'endpoint' };\n${next}`);
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.errors).toBe('The endpoint orphan has no function: add functions/faqs/orphan.ts\n');
  });
});
