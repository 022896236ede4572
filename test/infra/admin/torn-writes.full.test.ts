import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { createCompanyNote } from '../../../shared/domain/companies/companies.ts';
import { createFormSubmission } from '../../../shared/domain/forms/create-form-submission.ts';
import { storeInquiry, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import { updateProduct } from '../../../shared/domain/products/products.ts';
import { receiveSms } from '../../../shared/domain/sms/receive-sms.ts';
import { issueToken, revokeToken } from '../../../shared/domain/tokens/tokens.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { newInquiries } from '../../support/filled-records.ts';
import { fillOrganization, ownPhone, type FilledOrganization } from './filled-organization.ts';
import { changeJob, fillJobs, removeJobOfRemovedTeam, removeTeam, withJobs } from './jobs.ts';
import { repairedInMemory } from './repaired-in-memory.ts';
import type { Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

/** Write of one transaction, and the parts of it that are whole without the rest, by their items. */
type Torn = [
  name: string,
  act: (ledger: Ledger, filled: FilledOrganization) => Promise<unknown>,
  wholeParts?: readonly RegExp[],
];

const writes: Torn[] = [
  [
    'a lead is created',
    (ledger) => createLead(ledger, { name: 'Eve', email: 'eve@example.com', phone: '0491 570 157' }),
  ],
  [
    'the email and status of a lead change',
    (ledger, { records }) => updateLead(ledger, records.leadId, { email: 'ada@example.com', status: 'won' }),
  ],
  ['a lead with inquiries is deleted', (ledger, { records }) => deleteLead(ledger, records.leadId)],
  [
    'a lead gets an inquiry with a tag',
    (ledger, { records }) => storeInquiry(ledger, records.leadId, { ...newInquiries[0]!, tag: 'Gas' }),
  ],
  [
    'an inquiry is read, and leaves a list',
    (ledger, { records }) => updateInquiry(ledger, records.inquiryId, { isRead: true }),
  ],
  [
    'an SMS of an unknown number comes in',
    (ledger) =>
      receiveSms(
        { before: ledger, after: ledger },
        { send: () => Promise.reject(new Error('No answer to this SMS')) },
        {
          id: 'in-1',
          from: '+61491570159',
          to: ownPhone,
          text: 'Are you coming?',
          at: '2026-11-03T09:00:00.000Z',
          inReplyTo: undefined,
        },
        { report: () => undefined, reportSms: () => undefined },
      ),
  ],
  [
    'a form comes in by a key',
    (ledger) =>
      createFormSubmission(
        ledger,
        {
          keyId: 2,
          fields: [
            { name: 'email', value: 'ann@example.com' },
            { name: 'message', value: 'Hello' },
          ],
          unread: 0,
          site: undefined,
        },
        { maxPerDay: 9 },
      ),
    // A day's count alone is a form that was counted and not stored: that limits a key for one day, and is no data.
    [/^#DAY /],
  ],
  [
    'a token is issued',
    (ledger, { records: { userId } }) =>
      issueToken(ledger, { name: 'T', mode: 'test', scopes: ['read'], userId }, randomBytes),
  ],
  ['a token is revoked', (ledger) => revokeToken(ledger, 1)],
  ['a product gets another name', (ledger) => updateProduct(ledger, 1, { name: 'Valve' })],
  [
    'a phone number is added',
    (ledger) =>
      addNumber(ledger, { number: '+61480000101', arn: 'arn:aws:sms-voice:us-east-1:1:phone-number/2' }),
  ],
  [
    'a company gets a note',
    (ledger, { records: { companyId, userId } }) =>
      createCompanyNote(ledger, companyId, { value: 'Shut', userId }),
  ],
  [
    'a record leaves three lists and joins three',
    (ledger) => changeJob(ledger, 2, { state: 'DONE', team: 2, tag: 'c' }),
  ],
  ['an owner of a list is removed', (ledger) => removeTeam(ledger, 1)],
  ['the last member of a list of a removed owner is removed', (ledger) => removeJobOfRemovedTeam(ledger, 7)],
];

/** Number of parts of a large write that are chosen at random. */
const chosen = 10;

const table = new TableInMemory();
const organization = await table.found();
const filled = await table.run(() => fillOrganization(organization));
await table.run(() => fillJobs(organization.openLedger().ledger));
const image = table.image();

type Stored = ReadonlyMap<string, Attributes>;

/** Name of an item, without the organization. */
const nameOf = ({ pk, sk }: Attributes) =>
  `${String(pk)} ${String(sk)}`.replace(`ORG#${organization.code}`, '');
const stored = async (): Promise<Stored> =>
  new Map((await table.items.all()).map((item) => [nameOf(item), item]));

/** Parts of a write, as bits: all of a small write; else single items, all but one, and some at random. */
function partsOf(count: number): number[] {
  const all = 2 ** count;
  if (all <= 32) return Array.from({ length: all - 2 }, (_, at) => at + 1);
  const single = Array.from({ length: count }, (_, at) => 2 ** at);
  const { random } = seededRandom(1);
  const some = Array.from({ length: chosen }, () => 1 + Math.floor(random() * (all - 2)));
  return [...new Set([...single, ...single.map((bit) => all - 1 - bit), ...some])];
}

/** Items after only this part of the write was stored. */
function tornBetween(before: Stored, after: Stored, part: readonly string[]): Attributes[] {
  const items = new Map(before);
  for (const name of part) {
    const item = after.get(name);
    if (item) items.set(name, item);
    else items.delete(name);
  }
  return [...items.values()];
}

/** True if the items are those after the write, beside the traces of a repair. */
function isComplete(items: readonly Attributes[], after: Stored): boolean {
  const withoutTraces = (all: Iterable<Attributes>) =>
    new Map(
      [...all]
        .filter((item) => item['event'] !== 'ORGANIZATION_REPAIRED')
        .map(({ revision, revisions, version, ...item }) => [nameOf(item), item]),
    );
  return isDeepStrictEqual(withoutTraces(items), withoutTraces(after.values()));
}

test.each(writes)('no part of a write goes unseen: %s', async (_, act, wholeParts = []) => {
  const before = await stored();
  await table.run(() => act(organization.openLedger().ledger, filled));
  const after = await stored();
  image.restore();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
  );
  const { code } = organization;
  const options = { collections: withJobs.collections, now: table.access.system.now() };
  for (const whole of [before, after])
    expect(repairedInMemory(code, [...whole.values()], options).found).toEqual([]);
  expect(changed.length).toBeGreaterThan(3);
  for (const bits of partsOf(changed.length)) {
    const part = changed.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1);
    const isWhole = (names: readonly string[]) =>
      names.length > 0 && names.every((name) => wholeParts.some((pattern) => pattern.test(name)));
    const { found, left, items, saysLost } = repairedInMemory(
      code,
      tornBetween(before, after, part),
      options,
    );
    const isWholeAlone = isWhole(part) || isWhole(changed.filter((name) => !part.includes(name)));
    expect(found.length > 0, `stored alone: ${part.join(', ')}`).toBe(!isWholeAlone);
    if (found.length > 0 && left.length === 0)
      expect(saysLost || isComplete(items, after), `repaired unseen: ${part.join(', ')}`).toBe(true);
  }
});
