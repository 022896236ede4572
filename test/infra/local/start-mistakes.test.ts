import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProjectCopy } from '../../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

describe('a mistake is reported in one sentence', () => {
  test('an unknown option', async () => {
    const start = project.start(['--prot', '1']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe(`Unknown option '--prot': "npm start -- --help" lists the options.\n`);
  });

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = project.start(['--port', String(port), '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe(
      `Port ${port} is in use: stop what is running there, or choose another with --port.\n`,
    );
    other.close();
  });

  test('a function that does not build', async () => {
    project.edit('functions/leads/get-lead.ts', 'serve(getLead', 'serve((getLead');
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(/^functions\/leads\/get-lead\.ts:\d+:\d+ does not build: [^\n]+\n$/);
  });

  test('a contract that does not build', async () => {
    project.edit(
      'shared/contract/leads.ts',
      'export const listLeadsEndpoint = ',
      'export const listLeadsEndpoint = = ',
    );
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(/^shared\/contract\/leads\.ts:\d+ does not build: [^\n]+\n$/);
  });

  test('an endpoint without a function', async () => {
    project.write('shared/contract/extra.ts', "export const orphanEndpoint = { kind: 'endpoint' };");
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe('The endpoint orphan has no function: add functions/extra/orphan.ts\n');
  });
});
