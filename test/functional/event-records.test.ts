import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { root } from '../../infra/root.ts';
import type { EventPage, ShownRecord } from '../../shared/contract/event-feed.ts';
import { isRecordType, recordTypes } from '../../shared/contract/events.ts';
import { storeInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { beginEpoch } from '../../shared/domain/organizations/organizations.ts';
import { copyCommand, writeCopyProgram } from '../support/docs/copy-program.ts';
import { newFolder } from '../support/new-folder.ts';
import { sampleSources } from '../support/inquiries.ts';
import { recordAlone } from '../support/record-alone.ts';
import { fill } from '../support/filled-records.ts';
import {
  newOrganization,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';

const ours = await verifiedOrganization();
const { api } = ours;
await fill(ours);

const read = (after: number, by = api, limit = 100): Promise<EventPage> =>
  by.call('listEvents', { query: { after, limit, include: 'records' } });

/** Every record of the feed, from the first event on, as its last page shows it. */
async function followed(by = api): Promise<Map<string, ShownRecord>> {
  const found = new Map<string, ShownRecord>();
  for (let after = 0, version = 1; after < version;) {
    const page = await read(after, by, 7);
    for (const one of page.records) found.set(`${one.type} ${one.id}`, one);
    ({ nextAfter: after, version } = page);
  }
  return found;
}

describe('the records of events', () => {
  test('of every type are those that their own GET answers', async () => {
    const all = [...(await followed()).values()];
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set(Object.keys(recordTypes).filter(isRecordType)),
    );
    for (const { type, id, record, etag } of all)
      expect({ record, etag }).toEqual(await recordAlone(api, { type, id, record: record! }));
  });

  test('are there once each, as they are now; null once they are gone', async () => {
    const { lead } = await api.call('createLead', { body: { firstName: 'Al' } });
    const { version: after } = await read(0, api, 1);
    const body = (suburb: string) => ({ params: { leadId: lead.id }, body: { suburb } });
    await api.call('updateLead', body('Manly'));
    const { body: changed, headers } = await api.answer('updateLead', body('Bondi'));
    const { faq } = await api.call('createFaq', { body: { question: 'Open?', answer: 'Yes' } });
    await api.call('deleteFaq', { params: { faqId: faq.id } });
    expect((await read(after)).records).toEqual([
      { type: 'lead', id: lead.id, record: changed.lead, etag: headers.get('etag') },
      { type: 'faq', id: faq.id, record: null, etag: null },
    ]);
    const { cost } = await api.answer('listEvents', { query: { after, limit: 2, include: 'records' } });
    expect(cost).toMatchObject({ calls: 3, readUnits: 4 });
  });

  test('are of the subjects that the token may read', async () => {
    const types = new Set(
      [...(await followed(await ours.apiFor('events:read', 'leads:read'))).values()].map(({ type }) => type),
    );
    expect([...types]).toEqual(['lead']);
  });

  test('end a page that would be too large, each after the last', async () => {
    const organization = await newOrganization();
    const { ledger } = organization.openLedger();
    const { lead } = await organization.api.call('createLead', { body: { firstName: 'Bo' } });
    const { data } = sampleSources.EMAIL;
    const long = { ...data, body: 'é'.repeat(120_000) };
    for (let n = 0; n < 30; n++)
      await storeInquiry(ledger, lead.id, { source: 'EMAIL', summary: '', data: long });
    const shown: unknown[] = [];
    for (let after = 0, version = 1; after < version;) {
      const answer = await organization.api.answer('listEvents', {
        query: { after, limit: 100, include: 'records' },
      });
      expect(JSON.stringify(JSON.stringify(answer.body)).length).toBeLessThan(6_000_000);
      shown.push(...answer.body.records.filter(({ type }) => type === 'inquiry').map(({ id }) => id));
      ({ nextAfter: after, version } = answer.body);
    }
    expect(new Set(shown).size).toBe(30);
    expect(shown).toHaveLength(30);
  });
});

const folder = newFolder();
const [program, file] = [writeCopyProgram(folder), join(folder, 'copy.db')];

/** Runs the program until its copy is up to date. Returns the copy. */
async function copied({ token }: TestOrganization): Promise<Map<string, unknown>> {
  const command = copyCommand()
    .replace('sk_live_…', token)
    .replace('keep-in-step.mjs', program)
    .replace('https://api.example.com', inject('baseUrl'))
    .replace('copy.db', `${file} --once`);
  // Without the project's own Node.js, the command begins with that of the computer, which may be Node.js 20.
  const PATH = process.env['PATH']?.split(delimiter).filter((one) => !one.includes('node_modules'));
  const env = { ...process.env, PATH: PATH?.join(delimiter), NODE_NO_WARNINGS: '1' };
  const { stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: root, env });
  expect(stderr).toBe('');
  using copy = new DatabaseSync(file);
  const rows = copy.prepare('SELECT * FROM records').all();
  return new Map(
    rows.map(({ type, id, record }) => [`${String(type)} ${String(id)}`, JSON.parse(String(record))]),
  );
}

test("the guide's program copies an organization, keeps in step, and begins again in a new epoch", async () => {
  const organization = await newOrganization();
  const { ledger } = organization.openLedger();
  const expectCopy = async () => {
    const there = [...(await followed(organization.api))].flatMap(([name, { record }]) =>
      record ? [[name, record] as const] : [],
    );
    expect(await copied(organization)).toEqual(new Map(there));
  };
  const { leadId, faqId } = await fill(organization);
  await expectCopy();
  await organization.api.call('updateLead', { params: { leadId }, body: { suburb: 'Manly' } });
  await organization.api.call('deleteFaq', { params: { faqId } });
  await expectCopy();
  // As if another database had been restored: the copy loses records that only it has.
  using copy = new DatabaseSync(file);
  copy.exec("INSERT INTO records VALUES ('lead', 'lead_LOST', '{}')");
  await beginEpoch(ledger, organization.code);
  await expectCopy();
});
