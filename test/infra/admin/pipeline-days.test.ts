import { expect, test } from 'vitest';
import { collections } from '../../../infra/admin/table/collections.ts';
import { judge } from '../../../infra/admin/verify/judge.ts';
import { RepairPlan } from '../../../infra/admin/verify/organization-items.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { storageFormat } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { organizationItems } from './repaired-in-memory.ts';

const code = '6H8EV880' as OrganizationCode;
const key = recordKey(code, 'PIPELINE', 1);
const pipelineAndEvents = collections.filter(({ name }) => ['PIPELINE', 'EVENT'].includes(name));

/** An event of 2026, at a time such as `11-03T12:00`. */
const happened = (event: string, at: string, values?: { from: string; to: string }) => ({
  event,
  createdAt: `2026-${at}:00.000Z`,
  ...(values && { values }),
});
type Happened = ReturnType<typeof happened>;
const founded = happened('ORGANIZATION_CREATED', '11-01T12:00');
const lead = (at: string) => happened('LEAD_CREATED', at);
const moved = (at: string, to = 'won') => happened('LEAD_STATUS_CHANGED', at, { from: 'active', to });
const zone = (from: string, to: string) => happened('TIME_ZONE_CHANGED', '11-03T12:00', { from, to });

/** Judges a pipeline's record together with these events. The first event has the number 1. */
function judged(all: readonly Happened[], { revision = all.length, ...pipeline }: Record<string, unknown>) {
  const said = { data: '', referenceId: `org_${code}`, userId: `user_${code}00000001` };
  const items = organizationItems([
    {
      ...headKey(code),
      form: storageFormat,
      version: all.length,
      epoch: 'K3F2QX',
      country: 'AU',
      lists: { D: '1' },
    },
    { ...key, id: 1, revision, ...pipeline },
    ...all.map((one, at) => ({
      ...recordKey(code, 'EVENT', at + 1),
      ...said,
      ...one,
      id: at + 1,
      revision: at + 1,
      touched: at + 1 === revision ? 'PIPELINE#1' : '',
    })),
  ]);
  const { findings } = judge(code, items, { collections: pipelineAndEvents, now: 0 });
  const plan = new RepairPlan(items);
  for (const { kind, repair } of findings) if (kind === 'pipeline-days') repair?.addTo(plan);
  const { timeZone, newest, days } = plan.get(key) ?? {};
  return { found: findings.map(({ kind, where }) => [kind, where]), repaired: { timeZone, newest, days } };
}

const wrong = { newest: '1970-01-01', days: '!' };
const wrongDays = ['pipeline-days', 'pipeline 1'];

test.each<[string, Happened[], stated: string, newest: string, days: string, timeZone?: string]>([
  ['the days begin with the founding', [founded], 'UTC', '2026-11-01', ''],
  [
    'the days end with the newest event',
    [founded, lead('11-01T13:00'), lead('11-03T01:00'), moved('11-03T02:00')],
    'UTC',
    '2026-11-03',
    '1,,,,1  1',
  ],
  [
    'a day is one of the time zone of the pipeline',
    [founded, lead('11-02T20:00')],
    'Australia/Sydney',
    '2026-11-03',
    '1 ',
  ],
  [
    'a day is one of the time zone in force at the event, which a change of the zone names',
    [founded, lead('11-02T20:00'), zone('Australia/Sydney', 'America/New_York'), lead('11-02T20:00')],
    'UTC',
    '2026-11-03',
    '1 1',
    'America/New_York',
  ],
  ...['', 'Nowhere'].map((from): [string, Happened[], string, string, string, string] => [
    `an unknown time zone counts as UTC: "${from}"`,
    [founded, lead('11-02T20:00'), zone(from, 'Asia/Tokyo'), lead('11-02T20:00')],
    'UTC',
    '2026-11-03',
    '1 1',
    'Asia/Tokyo',
  ]),
  [
    'a day 30 days ago is counted',
    [founded, lead('11-02T00:00'), lead('12-02T00:00')],
    'UTC',
    '2026-12-02',
    `1${' '.repeat(30)}1`,
  ],
  ['a day 31 days ago is not', [founded, lead('11-01T23:59'), lead('12-02T00:00')], 'UTC', '2026-12-02', '1'],
])('%s', (_, all, stated, newest, days, timeZone = stated) => {
  const right = { timeZone, newest, days: days.trimEnd() };
  expect(judged(all, { timeZone: stated, ...wrong })).toEqual({ found: [wrongDays], repaired: right });
  // Rows may be padded.
  for (const padded of [right.days, `${right.days}   `])
    expect(judged(all, { ...right, days: padded }).found).toEqual([]);
});

const founding = [founded, lead('11-03T01:00')];
test.each([
  ['a day that is not the newest', { newest: '2026-11-04' }],
  ['a day that was never', { days: `1${' '.repeat(31)}1` }],
])('wrong days are found: %s', (_, change) => {
  const right = { timeZone: 'UTC', newest: '2026-11-03', days: '1' };
  expect(judged(founding, right).found).toEqual([]);
  expect(judged(founding, { ...right, ...change })).toEqual({ found: [wrongDays], repaired: right });
});

test('a pipeline that is older than the last event that counts is found, also if its days are right', () => {
  const right = { timeZone: 'UTC', newest: '2026-11-03', days: '1' };
  expect(
    judged([...founding, happened('LEAD_UPDATED', '11-03T02:00')], { ...right, revision: 2 }).found,
  ).toEqual([]);
  expect(judged(founding, { ...right, revision: 1 }).found).toEqual([wrongDays]);
});

test.each([
  happened('LEAD_STATUS_CHANGED', '11-03T12:00'),
  moved('11-03T12:00', 'sold'),
  happened('TIME_ZONE_CHANGED', '11-03T12:00'),
  zone('UTC', 'Nowhere'),
  lead('yesterday'),
])('an event that cannot be read is told, and the days are not repaired: %o', (event) => {
  const stated = { timeZone: 'UTC', ...wrong };
  const { found, repaired } = judged([founded, event, lead('11-01T13:00')], stated);
  expect(found).toContainEqual(['record-malformed', 'event 2']);
  expect(found).not.toContainEqual(['record-malformed', 'event 3']);
  expect(repaired).toEqual(stated);
});
