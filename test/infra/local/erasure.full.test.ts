import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import { takeFolder } from '../../../infra/local/data-folder.ts';
import { numberArnOf } from '../../../infra/local/messaging/phone-numbers.ts';
import type { WorkerRun } from '../../../infra/local/workers/worker-run.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import { ApiClient } from '../../support/api-client.ts';
import { foundOrganizationAt, type StoredOrganization } from '../../support/stored-organization.ts';
import { ownMachine } from '../../support/own-machine.ts';
import { servedApi } from '../../support/machine/served-api.ts';
import { newFolder } from '../../support/new-folder.ts';

/** A machine with files on disk. A search shows whether they still have the erased person. */
const data = newFolder();
const folder = takeFolder(data);
const clock = new MachineClock();
const [number, laterNumber, theirNumber] = ['+61491570737', '+61491571266', '+61491571491'];
const give = (organization: StoredOrganization, added: string) =>
  addNumber(organization.openLedger().ledger, { number: added, arn: numberArnOf(added) });

let ran: (run: WorkerRun) => void = () => undefined;
const { machine, table } = await ownMachine({
  folder,
  clock,
  keepSms: (text) => {
    appendFileSync(folder.sentSmsFile, `${JSON.stringify(text)}\n`);
  },
  onRun: (run) => {
    if (run.name === receiveTextsWorker.name) ran(run);
  },
});
const served = await servedApi((request) => machine.answer(request));
const [ours, theirs] = [await foundOrganizationAt(table), await foundOrganizationAt(table)];
await give(ours, number);
await give(theirs, theirNumber);
const api = new ApiClient(served.baseUrl, ours.token);
afterAll(() => served.close());

/** Files of the machine that contain a text. */
const filesWith = (text: string) =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => relative(data, file).replace(/(?<=queues\/)[^]*/, '…'))
    .sort();

/** Waits until the worker has completed so many runs. Returns the failure of the last one, if it failed. */
async function afterRuns(runs: number, act: () => unknown): Promise<WorkerRun['failed']> {
  let left = runs;
  const done = new Promise<WorkerRun['failed']>((resolve) => {
    ran = ({ failed }) => {
      if (--left === 0) resolve(failed);
    };
  });
  await act();
  return done;
}

/** Simulates an incoming SMS. */
const play = (from: string, text: string, to = number) =>
  fetch(`${served.baseUrl}/local/texts`, { method: 'POST', body: new URLSearchParams({ from, to, text }) });

const newLead = async (firstName: string, phone: string, client = api) =>
  (await client.call('createLead', { body: { firstName, phone } })).lead.id;
const sms = (leadId: string, message: string, { userId }: StoredOrganization = ours) => ({
  body: { leadId, message, userId },
});

/** Sends the request until it is done. */
async function erase(leadId: string): Promise<void> {
  while (!(await api.call('eraseLead', { params: { leadId } })).done);
}

test('an erased person is in no file of the machine, and everyone else still is', async () => {
  const [ann, bo, cy] = ['+61491573770', '+61491574118', '+61491574632'];
  const annsId = await newLead('Annabel', ann);
  const bosId = await newLead('Bodil', bo);
  const other = new ApiClient(served.baseUrl, theirs.token);
  const theirsId = await newLead('Another organization’s', ann, other);
  // One SMS in each direction. The answer to a stranger's STOP belongs to no message.
  await afterRuns(2, () =>
    api.call('sendSms', sms(annsId, 'Annabel, we come at 3')).then(() => play(ann, 'Annabel here')),
  );
  await afterRuns(2, () => api.call('sendSms', sms(bosId, 'Bodil, at 4')).then(() => play(bo, 'Bodil here')));
  await afterRuns(1, () => other.call('sendSms', sms(theirsId, 'Of another organization', theirs)));
  await afterRuns(2, () => play(cy, 'STOP'));
  // Nobody has that number yet: one SMS is a dead letter, the other is tried again in some minutes.
  const tooEarly = (text: string) => afterRuns(1, () => play(ann, text, laterNumber));
  const laterOn = () => {
    clock.moveBy(3 * 60_000);
  };
  let failed = await tooEarly('Annabel, a dead letter');
  while (failed === 'is tried again') failed = await afterRuns(1, laterOn);
  await tooEarly('Annabel, in the queue');
  await afterRuns(1, () => play(bo, 'Bodil, in the queue', laterNumber));
  await give(ours, laterNumber);
  const deadLetters = filesWith('Annabel, a dead letter');
  expect(deadLetters).toEqual([expect.stringMatching(/^logs\/dead-letters\//)]);
  expect(filesWith('Annabel, in the queue')).toEqual(['queues/…']);
  expect(filesWith('Annabel')).toContain('sms.jsonl');

  await erase(annsId);
  expect(filesWith('Annabel')).toEqual([]);
  const linesTo = (to: string) =>
    readFileSync(folder.sentSmsFile, 'utf8')
      .split('\n')
      .filter((one) => one.includes(to));
  expect(linesTo(ann)).toEqual([expect.stringContaining('Of another organization')]);
  expect(linesTo(bo)).toEqual([
    expect.stringMatching(`"context":{"organization":"${ours.code}","message":"\\d+"}`),
  ]);
  expect(linesTo(cy)).toEqual([]);
  expect(filesWith('Bodil, in the queue')).toEqual(['queues/…']);
  expect(existsSync(folder.erasing)).toBe(false);
  // The engine still works.
  expect((await api.call('listLeads')).leads).toMatchObject([{ firstName: 'Bodil' }]);
  expect((await other.call('listLeads')).leads).toMatchObject([{ phone: ann }]);
});

test('the number is kept until everything is erased, even over a restart', async () => {
  const dee = '+61491575254';
  const deesId = await newLead('Deirdre', dee);
  await afterRuns(1, () => play(dee, 'Deirdre, in the queue', '+61491575789'));
  await give(ours, '+61491575789');
  await api.call('deleteLead', { params: { leadId: deesId } });
  // A machine that was killed after the lead was gone leaves this.
  writeFileSync(folder.erasing, JSON.stringify({ [deesId]: dee }));
  await erase(deesId);
  expect(filesWith(dee)).toEqual([]);
});

test('a refused request leaves nothing behind', async () => {
  const leadId = await newLead('Eve', '+61491576398');
  const other = new ApiClient(served.baseUrl, theirs.token);
  await other.failure('eraseLead', 404, { params: { leadId } });
  expect(existsSync(folder.erasing)).toBe(false);
  await api.failure('eraseLead', 404, { params: { leadId: `lead_${ours.code}0000ZZZZ` } });
  await api.failure('eraseLead', 404, { params: { leadId: 'lead_1' } });
});
