import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProjectCopy } from '../../support/machine/project-copy.ts';

let project: ProjectCopy;
beforeAll(() => {
  project = new ProjectCopy();
});
afterAll(() => project.remove());

describe('a mistake is reported in one sentence', () => {
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
    project.edit('shared/contract/leads.ts', 'listLeadsEndpoint = ', 'listLeadsEndpoint = = ');
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.errors).toMatch(/^shared\/contract\/leads\.ts:\d+ does not build: [^\n]+\n$/);
  });
});
