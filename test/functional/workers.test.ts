import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { verifyOrganization } from '../support/verify-organization.ts';
import { MachineClock } from '../../infra/local/clock.ts';
import { realSystem } from '../../shared/core/system.ts';
import { storageFormat } from '../../shared/ledger/internal/head.ts';
import { headKey } from '../../shared/ledger/internal/keys.ts';
import { ownMachine } from '../support/own-machine.ts';
import { loggingInto, runLogIn } from '../support/machine/run-log.ts';
import { foundOrganizationAt, type StoredOrganization } from '../support/stored-organization.ts';
import { leaveSending, newestEvents, statusOf } from '../support/leave-sending.ts';
import { workerRuns } from '../support/machine/worker-runs.ts';

const minute = 60_000;

/** Clock of the test's own machine, which the test moves. */
const clock = new MachineClock();
const { onRun, runAfter } = workerRuns(clock, 'resolve-sending');
const { machine, table } = await ownMachine({ clock, onRun, ...loggingInto(runLogIn(inject('runLog'))) });
const ours = await foundOrganizationAt(table);
const theirs = await foundOrganizationAt(table, { country: 'NZ' });

/** Changes an attribute of an organization's head. */
async function setInHead({ code }: StoredOrganization, attribute: string, value: unknown): Promise<void> {
  const input = {
    TableName: machine.tableName,
    Key: headKey(code),
    UpdateExpression: 'SET #attribute = :value',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': value },
  };
  await machine.client.send(new UpdateCommand(input));
}

/** Status of a request to list the leads. */
async function statusWith(token: string): Promise<number> {
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]];
  const request = { method: 'GET', target: '/v1/leads', headers, body: Buffer.alloc(0), sourceIp: '::1' };
  return (await machine.answer(request)).status;
}

test('the template runs each worker at its own rate', () => {
  expect(machine.workers).toEqual([
    { every: '5 minutes', description: expect.stringMatching(/^resolve-sending: /) as string },
    { every: '1 minute', description: expect.stringMatching(/^sweep-webhooks: /) as string },
  ]);
});

test('a message that is still SENDING becomes UNKNOWN after an hour, and not before; others stay as they are', async () => {
  const left = [await leaveSending(ours), await leaveSending(theirs)];
  const sent = await leaveSending(ours, { recorded: true });

  const well = { name: 'resolve-sending', failed: undefined, troubles: [] };
  const began = Date.now();
  expect(await runAfter(55)).toMatchObject(well);
  for (const message of left) expect(await statusOf(message)).toBe('SENDING');

  const run = await runAfter(10);
  expect(run).toMatchObject(well);
  // In a database that is kept, others may have left messages too.
  expect(run.done).toBeGreaterThanOrEqual(2);
  for (const message of left) expect(await statusOf(message)).toBe('UNKNOWN');
  expect(await statusOf(sent)).toBe('SENT');
  for (const { organization, inquiryId } of left) {
    const [newest] = await newestEvents(organization, 1);
    expect(newest).toMatchObject({
      event: 'SMS_UNKNOWN',
      data: 'The provider gave no answer for the SMS',
      referenceId: inquiryId,
      userId: 'system',
    });
    // The function saw the time of the machine's clock.
    expect(Date.parse(newest!.createdAt) - began).toBeGreaterThanOrEqual(65 * minute);
  }

  const before = await newestEvents(ours, 1);
  expect(await runAfter(5)).toMatchObject(well);
  expect(await newestEvents(ours, 1)).toEqual(before);
  const { client, tableName } = machine;
  for (const { code } of [ours, theirs]) {
    expect((await verifyOrganization({ client, tableName, system: realSystem }, code)).findings).toEqual([]);
  }
});

test('an event that fails at every try becomes a dead letter, and its messages stay due; a worker waits its turn', async () => {
  const organization = await foundOrganizationAt(table);
  const message = await leaveSending(organization);
  await setInHead(organization, 'form', storageFormat + 1);
  expect((await runAfter(65)).failed).toBe('is tried again');
  expect((await runAfter(1)).failed).toBe('is tried again');
  const last = await runAfter(2);
  expect(last.failed).toBe('is a dead letter');
  expect(last.troubles.join()).toContain('The data is stored in form');

  await setInHead(organization, 'form', storageFormat);
  await setInHead(organization, 'queue', { served: 0, waiting: 4, pace: 1 });
  expect((await runAfter(5)).failed).toBeUndefined();
  expect(await statusOf(message)).toBe('UNKNOWN');
});

test("requests share the machine's clock: an expired token is refused, although it was remembered", async () => {
  const expiresAt = new Date(clock.now() + 30 * minute).toISOString();
  const token = await ours.issueToken({ expiresAt });
  expect(await statusWith(token)).toBe(200);
  clock.moveBy(31 * minute);
  expect(await statusWith(token)).toBe(401);
});
