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

describe('a mistake is told in one sentence', () => {
  test.each([
    [['--prot', '1'], /^Unknown option '--prot': "npm start -- --help" lists the options\.\n$/],
    [['--port', 'http'], /^--port must be a whole number from 0 to 65535, not "http"\.\n$/],
    [['--port', '-1'], /^Option '--port' argument is ambiguous: [^\n]+\n$/],
    [['--port', '70000'], /^--port must be a whole number from 0 to 65535, not "70000"\.\n$/],
    [['--port'], /^Option '--port <value>' argument missing: "npm start -- --help" lists the options\.\n$/],
    [['--engine-port', 'x'], /^--engine-port must be a whole number from 0 to 65535, not "x"\.\n$/],
    [
      ['--engine-host', 'localhost'],
      /^--engine-host must be an address of this computer, such as 127\.0\.0\.1, not "localhost"\.\n$/,
    ],
    [
      ['--engine-host', '192.0.2.1', '--engine-port', '0', '--port', '0'],
      /^--engine-host must be an address of this computer, such as 127\.0\.0\.1, not "192\.0\.2\.1"\.\n$/,
    ],
    [
      ['--engine-host', '0.0.0.0', '--engine-port', '0', '--port', '0'],
      /^--engine-host must be 127\.0\.0\.1, or the address of Docker's bridge, [^\n]+, not "0\.0\.0\.0", where other computers could read the whole database\.\n$/,
    ],
    [['-c', 'webAcl'], /^-c must be NAME=VALUE, such as -c webAcl=own, not "webAcl"\.\n$/],
    [['-c', 'stage=prod'], /^-c stage cannot be set: this machine runs the stage dev\.\n$/],
    [
      ['-c', 'requestBurst=many', '--port', '0', '--memory'],
      /^The requestBurst is "many", but it must be a whole number from 1 to 5000\n$/,
    ],
    [['--data', ''], /^--data must name a folder\.\n$/],
    [['--data', 'x', '--memory'], /^--memory and --data cannot be combined\.\n$/],
    [['--data', 'package.json', '--port', '0'], /^The data folder package\.json cannot be used: [^\n]+\n$/],
    [['serve'], /^Unexpected argument 'serve'[^\n]*: "npm start -- --help" lists the options\.\n$/],
  ])('%j', async (args, sentence) => {
    const start = project.start(args);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(sentence);
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
    const another = project.start(['--port', '0', '--engine-port', String(port), '--memory']);
    expect(await another.ended()).toBe(1);
    expect(another.output).toBe(
      `Port ${port} is in use: stop what is running there, or choose another with --engine-port.\n`,
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
