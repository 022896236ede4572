import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { beforeAll, expect, inject, test } from 'vitest';
import { MachineClock } from '../../infra/local/clock.ts';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { localCredentials } from '../../infra/local/engine.ts';
import { region } from '../../infra/local/arns.ts';
import type { Machine } from '../../infra/local/machine.ts';
import type { PermissionCheck } from '../../infra/local/role.ts';
import { synthesize } from '../../infra/local/synthesize.ts';
import { readTemplate } from '../../infra/local/template/template.ts';
import { warmUpEvent } from '../../shared/http/warm-up.ts';
import { breakable, type Breakable } from '../support/machine/breakable.ts';
import { newFolder } from '../support/new-folder.ts';
import { ownMachine } from '../support/own-machine.ts';
import { loggingInto, runLogIn } from '../support/machine/run-log.ts';
import { workerRuns } from '../support/machine/worker-runs.ts';

/** A machine of a stage that keeps its functions warm. */
const clock = new MachineClock();
const { onRun, runAfter } = workerRuns(clock, 'keep-warm');
const folder = temporaryFolder();
const assembly = newFolder();
let machine: Machine;
let getLead: Breakable;
const checks: PermissionCheck[] = [];
let names: string[];
beforeAll(async () => {
  await synthesizeWithFewNames();
  ({ machine } = await ownMachine({
    folder,
    assembly,
    clock,
    onPermissionCheck: (check) => checks.push(check),
    // Only the log lines are recorded: the other machines do not have the worker, and these tests check its
    // permissions.
    onLogLine: loggingInto(runLogIn(inject('runLog'))).onLogLine,
    onRun,
  }));
  getLead = breakable(assembly, 'GET /v1/leads/{leadId}:');
});

/**
 * Synthesizes a stage that keeps every eighth function of the API warm, and the functions of single tests. Starting all
 * functions would take most of the time of these tests. test/infra/stack/keep-warm.test.ts checks that the worker gets
 * all names.
 */
async function synthesizeWithFewNames(): Promise<void> {
  await synthesize(assembly, { settings: { keepWarm: 'true' } });
  const all = readTemplate(assembly)
    .functions.map(({ deployedName = '' }) => deployedName)
    .filter((name) => name.includes('-api-'));
  names = all.filter((name, at) => at % 8 === 0 || /-Get(Lead|OpenApi)$/.test(name));
  const rests = (of: readonly string[]) => of.map((name) => name.replace(/.*-api-/, '')).join(' ');
  const file = join(assembly, 'SalesPipeline-dev.template.json');
  const template = readFileSync(file, 'utf8');
  expect(template).toContain(`"${rests(all)}"`);
  writeFileSync(file, template.replace(`"${rests(all)}"`, `"${rests(names)}"`));
}

const linesOf = (group: string) => {
  const file = join(folder.logs, `${group}.log`);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};

test('every function that is named is called, by a permission of the worker, and none leaves a line or asks the table', async () => {
  expect(names.length).toBeGreaterThan(9);
  // Functions that start ask the table once.
  expect(await runAfter(5)).toMatchObject({ done: names.length, failed: undefined });
  checks.length = 0;
  const run = await runAfter(5);
  expect(run).toMatchObject({ done: names.length, failed: undefined, troubles: [] });
  const asked = checks.filter(({ functionName }) => !/^(ResolveSending|SweepWebhooks)/.test(functionName));
  expect(new Set(asked.map(({ action }) => action))).toEqual(new Set(['lambda:InvokeFunction']));
  expect(asked.map(({ resource }) => resource.split(':').at(-1)).toSorted()).toEqual(names.toSorted());
  expect(asked.every(({ isAllowed }) => isAllowed)).toBe(true);
  expect(linesOf('api')).toEqual([]);
  expect(linesOf('access')).toEqual([]);
});

test('the first request of a function that was called meets no cold start', async () => {
  const request = { method: 'GET', target: '/openapi', headers: [], body: Buffer.alloc(0), sourceIp: '::1' };
  expect((await machine.answer(request)).status).toBe(200);
  const line = JSON.parse(linesOf('api').at(-1)!) as object;
  expect(line).toMatchObject({ operation: 'GET /openapi' });
  expect(line).not.toHaveProperty('coldStarts');
});

test('a function that fails stops no other, and the run fails', async () => {
  getLead.breakIt('throws');
  const run = await runAfter(5);
  expect(run).toMatchObject({ done: names.length - 1, failed: 'is tried again' });
  expect(run.troubles.join()).toContain('SalesPipeline-dev-api-GetLead did not answer');
  getLead.mend();
  expect(await runAfter(1)).toMatchObject({ done: names.length, failed: undefined });
});

test('other callers, functions and calls of Lambda are refused', async () => {
  const clientOf = (accessKeyId: string) =>
    new LambdaClient({
      endpoint: machine.lambdaEndpoint,
      region,
      credentials: { accessKeyId, secretAccessKey: localCredentials.AWS_SECRET_ACCESS_KEY },
      maxAttempts: 1,
    });
  const keepWarm = readTemplate(assembly).functions.find(({ name }) => name.startsWith('KeepWarm'))!.name;
  const call = (accessKeyId: string, FunctionName: string, more = {}) =>
    clientOf(accessKeyId).send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(warmUpEvent), ...more }),
    );
  expect((await call(keepWarm, names[0]!)).StatusCode).toBe(200);
  await expect(call('Nobody', names[0]!)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  await expect(call(keepWarm, 'SalesPipeline-dev-ResolveSending')).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('lambda:InvokeFunction') as string,
  });
  await expect(call(keepWarm, 'SalesPipeline-dev-api-Nothing')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  await expect(call(keepWarm, names[0]!, { InvocationType: 'Event' })).rejects.toMatchObject({
    name: 'InvalidRequestContentException',
  });
  await expect(clientOf(keepWarm).send(new ListFunctionsCommand({}))).rejects.toMatchObject({
    name: 'InvalidRequestContentException',
  });
});
