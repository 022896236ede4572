import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { discardImport, importOrganization } from '../../../infra/admin/copy/import-organization.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { createCompanyNote } from '../../../shared/domain/companies/companies.ts';
import { storeInquiry, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { recordEvent } from '../../../shared/domain/events/record-event.ts';
import { addMessage, threads } from '../../../shared/domain/threads/threads.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { edit, itemsIn, itemsOf, linesIn, seal, withoutOwn } from './copied.ts';
import { fillOrganization, ownPhone, type FilledOrganization } from './filled-organization.ts';
import { TableInMemory } from './table-in-memory.ts';
import { newFolder } from '../../support/new-folder.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

const folder = newFolder();
const copy = join(folder, 'copy');
const table = new TableInMemory();
const { tableName } = table.access;
const organization = await table.found();
const { code } = organization;
const filled = await table.run(() => fill(organization));
const all = () => table.run(() => itemsIn(table.access.client, tableName));
const importInto = (name: string, options = {}, access = table.access) =>
  table.run(() => importOrganization(access, join(folder, name), options));
const exportTo = (path: string, options = {}) =>
  table.run(() => exportOrganization(table.access, code, path, options));
const verify = () => table.run(() => verifyTable(table.access));
const { version } = await exportTo(copy);

async function fill(organization: StoredOrganization): Promise<FilledOrganization> {
  const filled = await fillOrganization(organization);
  const { ledger } = filled.organization.openLedger();
  // A deleted lead. Its inquiries remain, with tags that are or were in use.
  const form = { formName: 'F', fields: {}, submittedAt: '2026-11-02T13:00:00.000Z' };
  const { id } = await createLead(ledger, { name: 'Straße Ž', businessName: 'Café Ž', status: 'won' });
  const input = { source: 'WEBFORM', summary: 'F', tag: 'Gas', data: form } as const;
  const first = await storeInquiry(ledger, id, input);
  await storeInquiry(ledger, id, { ...input, tag: 'Hot water' });
  await updateInquiry(ledger, first.id, { tag: '', isRead: true, isFlagged: true });
  await updateLead(ledger, id, { status: 'lost' });
  await deleteLead(ledger, id);
  // A message with an unknown outcome, so that it is due for a worker.
  await ledger.write({ change: { thread: ledger.ref(threads, 1) } }, (write, { thread }) => {
    const { userId } = filled.records;
    const sending = { direction: 'OUTBOUND', text: 'Soon', status: 'SENDING', userId } as const;
    addMessage(write, thread, sending);
    recordEvent(write, { event: 'SMS_CREATED', about: thread.inquiryId });
  });
  // Text that a person wrote stays unchanged, even if it looks like an id.
  const value = `See lead_${code}00000001 of ORG#${code}#LEAD`;
  await createCompanyNote(ledger, filled.records.companyId, { value, userId: filled.records.userId });
  return filled;
}

test('a copy has every record in files that only their owner can read, and no secret of a token', () => {
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(copy)) expect(statSync(join(copy, name)).mode & 0o777).toBe(0o600);
  const lines = linesIn(copy);
  expect(Object.keys(lines)).toEqual(
    expect.arrayContaining(['organization.jsonl', 'organizations.jsonl', 'policies.jsonl', 'leads.jsonl']),
  );
  expect(lines['organization.jsonl']).toMatchObject([
    { form: 1, stored: 4, code, version, country: 'AU', files: { 'leads.jsonl': { lines: 2 } } },
    { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  ]);
  expect(lines['events.jsonl']).toHaveLength(version);
  expect(lines['leads.jsonl']![0]).toMatchObject({ number: 1, record: { firstName: 'Ann' } });
  expect(lines['leads.jsonl']!.map(({ number }) => number)).toEqual([1, 4]);
  // The values that an event's sentence shows are copied with the event.
  expect(lines['events.jsonl']!.map(({ record }) => (record as Item)['values'])).toContainEqual({
    from: 'won',
    to: 'lost',
  });
  const text = readdirSync(copy)
    .map((name) => readFileSync(join(copy, name), 'utf8'))
    .join('');
  for (const secret of [...filled.hashes, 'whsec_', 'secrets']) expect(text).not.toContain(secret);
});

test('an import is the same organization under another code, and the original stays unchanged', async () => {
  const before = await all();
  const told: string[] = [];
  const {
    code: other,
    counts,
    numbers,
  } = await importInto('copy', { onCode: (drawn: string) => told.push(drawn) });
  const after = await all();
  expect([told, numbers]).toEqual([[other], [ownPhone]]);
  expect(counts).toMatchObject({ EVENT: version, LEAD: 2, TOKEN: 7 });
  expect(itemsOf(after, code)).toEqual(itemsOf(before, code));
  const epochOf = (one: string) => after.get(`ORG#${one} HEAD`)!['epoch'];
  expect(epochOf(other)).not.toBe(epochOf(code));
  const note = `ORG#${other}#NOTE 000000000003`;
  expect(after.get(note)!['value']).toBe(`See lead_${code}00000001 of ORG#${code}#LEAD`);
  after.set(note, { ...after.get(note), value: 'x' });
  before.set(`ORG#${code}#NOTE 000000000003`, { ...before.get(`ORG#${code}#NOTE 000000000003`), value: 'x' });
  expect(withoutOwn(itemsOf(after, other), version)).toEqual(
    withoutOwn(itemsOf(before, code, other), version),
  );
  expect(after.get(`ORG#${other}#WEBHOOK 000000000001`)).toMatchObject({
    isEnabled: false,
    disabledReason: 'IMPORTED',
    disabledAt: linesIn(copy)['organization.jsonl']![0]!['exportedAt'],
    tokenId: null,
    secrets: [],
    startAfter: version,
  });
  expect(after.get(`ORG#${other} HEAD`)).not.toHaveProperty('named');
  const { organizations, strays } = await verify();
  expect([...organizations.flatMap(({ findings }) => findings), ...strays]).toEqual([]);
  expect(organizations).toHaveLength(2);
});

test('an import of an imported copy is the same again', async () => {
  const { code: other } = await importInto('copy');
  await table.run(() => exportOrganization(table.access, other, join(folder, 'again')));
  const [first, second] = [linesIn(copy), linesIn(join(folder, 'again'))];
  const same = (lines: Item[]) =>
    JSON.parse(
      JSON.stringify(lines)
        .replaceAll(other, code)
        .replaceAll(/ ?TOKEN#\d+ ?/g, ''),
    ) as Item[];
  expect(Object.keys(first).filter((name) => !(name in second))).toEqual(['tokens.jsonl']);
  for (const [name, lines] of Object.entries(second))
    if (!/^(organizations?|webhooks)\.jsonl/.test(name))
      expect([name, same(lines)]).toEqual([name, same(first[name]!)]);
  expect((await importInto('again')).code).not.toBe(other);
});

describe('an interrupted import', () => {
  /** A table that refuses every call after a number of writes. */
  function dyingAfter(writes: number) {
    const dying = table.newAccess();
    let count = 0;
    aroundCalls(dying.client, async (operation, send) => {
      if (operation.includes('Write') && count++ >= writes) throw new Error('killed');
      return send();
    });
    return dying;
  }

  test.each([0, 1, 2])('resumes with its code, after %i calls', async (writes) => {
    let drawn: OrganizationCode | undefined;
    const dying = dyingAfter(writes);
    const onCode = (one: OrganizationCode) => (drawn = one);
    await expect(importInto('copy', { onCode }, dying)).rejects.toThrow('killed');
    if (writes === 0) {
      await expect(importInto('copy', { code: drawn })).rejects.toThrow(/No import of the code .* has begun/);
      return;
    }
    expect((await all()).has(`ORG#${drawn} HEAD`)).toBe(false);
    cpSync(copy, join(folder, `other-${writes}`), { recursive: true });
    edit(join(folder, `other-${writes}`), 'policies.jsonl', (text) => text.replace('Cancelling', 'Cancel'));
    seal(join(folder, `other-${writes}`));
    await expect(importInto(`other-${writes}`, { code: drawn })).rejects.toThrow(/began with other files/);
    expect((await importInto('copy', { code: drawn })).code).toBe(drawn);
    const items = await all();
    const [own, original] = [itemsOf(items, drawn!), itemsOf(items, code, drawn)];
    const isNote = ([name]: [string, Item]) => name.endsWith('#NOTE 000000000003');
    const left = (from: Map<string, Item>) =>
      new Map([...withoutOwn(from, version)].filter((one) => !isNote(one)));
    expect(left(own)).toEqual(left(original));
    expect(items.has(`ORG#${drawn} IMPORT`)).toBe(false);
    // The head is written; only the event after it is missing.
    expect((await importInto('copy', { code: drawn })).code).toBe(drawn);
  });

  test('does not resume under the code of an organization, least of all the original', async () => {
    await expect(importInto('copy', { code })).rejects.toThrow(`There is an organization ${code}`);
  });

  test('retries calls that DynamoDB does not carry out', async () => {
    const busy = table.newAccess();
    let count = 0;
    aroundCalls(busy.client, async (operation, send) => {
      if (!operation.includes('Write')) return send();
      count++;
      if (count % 3 === 1)
        throw Object.assign(new Error('slow down'), { name: 'ProvisionedThroughputExceededException' });
      const reply = await send();
      if (count % 3 === 2) throw Object.assign(new Error('lost'), { name: 'TimeoutError' });
      return reply;
    });
    const { code: other } = await importInto('copy', {}, busy);
    const items = await all();
    expect(itemsOf(items, other).size).toBeGreaterThan(60);
    expect([...withoutOwn(itemsOf(items, other), version).keys()].sort()).toEqual(
      [...withoutOwn(itemsOf(items, code, other), version).keys()].sort(),
    );
  });
});

describe('two imports of one code', () => {
  /** Holds back the second write of a first import until another command has run. */
  async function late(other: (code: OrganizationCode) => Promise<unknown>) {
    const held = table.newAccess();
    let drawn: OrganizationCode | undefined;
    let count = 0;
    aroundCalls(held.client, async (operation, send) => {
      if (operation.includes('Write') && ++count === 2) await other(drawn!);
      return send();
    });
    const onCode = (one: OrganizationCode) => (drawn = one);
    await expect(importInto('copy', { onCode }, held)).rejects.toThrow(
      /^Another command has taken over the import of the code \w{8}, or removes it: this one ends\.$/,
    );
    return drawn!;
  }

  test('the one that another took over writes nothing more, least of all into the organization', async () => {
    let founded: Map<string, Item> | undefined;
    const drawn = await late(async (one) => {
      await importOrganization(table.access, copy, { code: one });
      // The organization is in use by now.
      const lead = { ...(await table.items.get({ pk: `ORG#${one}#LEAD`, sk: '000000000001' })) };
      await table.items.put({ ...lead, firstName: 'Changed' });
      await table.items.remove({ pk: `ORG#${one}#FAQ`, sk: '000000000001' });
      founded = itemsOf(await itemsIn(table.access.client, tableName), one);
    });
    expect(founded!.size).toBeGreaterThan(60);
    expect(itemsOf(await all(), drawn)).toEqual(founded);
  });

  test('one that was discarded meanwhile leaves nothing', async () => {
    const drawn = await late((one) => discardImport(table.access, one));
    expect(itemsOf(await all(), drawn).size).toBe(0);
  });
});

const discard = (one: OrganizationCode, options = {}) =>
  table.run(() => discardImport(table.access, one, options));

test('an unfinished import is reported and discarded, even if the removal is interrupted once', async () => {
  const before = await all();
  const stop = new AbortController();
  const { signal } = stop;
  let drawn!: OrganizationCode;
  const importing = importInto('copy', {
    signal,
    onCode: (one: OrganizationCode) => (drawn = one),
    onProgress: (done: number) => {
      if (done === 40) stop.abort();
    },
  });
  await expect(importing).rejects.toThrow(/--code .* goes on/);
  expect(itemsOf(await all(), drawn).size).toBeGreaterThan(30);
  const sentence = `An import of ${drawn} is not finished: go on with "organization import FOLDER --code ${drawn}", or remove it with "organization discard-import --code ${drawn}".`;
  expect((await verify()).strays).toMatchObject([{ kind: 'import-unfinished', sentence }]);
  const { findings, items } = await table.run(() => verifyOrganization(table.access, drawn));
  expect([findings.map((one) => one.sentence), items > 0]).toEqual([[sentence], true]);
  await expect(discard(drawn, { signal })).rejects.toThrow('run it again');
  expect(await discard(drawn)).toBeGreaterThan(30);
  expect(await all()).toEqual(before);
  await expect(discard(drawn)).rejects.toThrow(`No import of the code ${drawn} has begun there.`);
});

test('an import from a folder that is missing is refused', async () => {
  await expect(importInto('nowhere')).rejects.toThrow(/nowhere has no organization\.jsonl/);
});

describe('an export', () => {
  test('refuses a folder that is not empty', async () => {
    await expect(exportTo(copy)).rejects.toThrow('is not empty');
    expect(readdirSync(copy)).toContain('leads.jsonl');
  });

  test('accepts an empty folder, and reports the partial folder of another export', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    mkdirSync(`${empty}.partial`);
    writeFileSync(join(`${empty}.partial`, 'LEAD.read'), '');
    await expect(exportTo(empty)).rejects.toThrow('empty.partial is there');
    rmSync(`${empty}.partial`, { recursive: true });
    await exportTo(empty);
    expect(readdirSync(empty)).toContain('organization.jsonl');
  });

  test('leaves nothing if it fails', async () => {
    const stop = new AbortController();
    const onProgress = () => {
      stop.abort();
    };
    const path = join(folder, 'stopped');
    const exporting = exportTo(path, { signal: stop.signal, onProgress });
    await expect(exporting).rejects.toThrow('was stopped');
    expect([path, `${path}.partial`].filter((one) => existsSync(one))).toEqual([]);
  });
});
