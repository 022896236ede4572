import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { importOrganization } from '../../../infra/admin/copy/import-organization.ts';
import { collections } from '../../../infra/admin/table/collections.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { listIndexes, searchIndexes, dueIndex } from '../../../shared/ledger/index.ts';
import { edit, linesIn, seal } from './copied.ts';
import { fillOrganization } from './filled-organization.ts';
import type { Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { newFolder } from '../../support/new-folder.ts';

const folder = newFolder();
const table = new TableInMemory();
/** Another organization, with a partition of its unread inquiries. */
let victim: OrganizationCode;
const unread = () => `ORG#${victim}#INQUIRY#4#unread`;
const victims = () => table.items.all().then((all) => all.filter(({ pk }) => String(pk).includes(victim)));

beforeAll(async () => {
  const [organization, other] = [await table.found(), await table.found()];
  victim = other.code;
  await table.run(async () => {
    await fillOrganization(organization);
    await fillOrganization(other, '+61480000101');
    await exportOrganization(table.access, organization.code, join(folder, 'copy'));
  });
});

/** Changes properties of the first line of a file, at any depth, and updates all checksums. */
function manipulated(name: string, file: string, change: Attributes): string {
  const path = join(folder, name.replaceAll(/\W+/g, '-'));
  cpSync(join(folder, 'copy'), path, { recursive: true });
  edit(path, file, (text) => {
    const [first = '', ...rest] = text.split('\n');
    const line = merged(JSON.parse(first), change);
    // An assignment cannot set this name.
    return [JSON.stringify(line).replaceAll('"PROTO"', '"__proto__"'), ...rest].join('\n');
  });
  seal(path);
  return path;
}

function merged(value: unknown, change: unknown): unknown {
  const isObject = (one: unknown): one is Attributes =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(value) || !isObject(change)) return change;
  const names = Object.entries(change).map(([name, one]) => [name, merged(value[name], one)] as const);
  return { ...value, ...Object.fromEntries(names) };
}

const unknown = (name: string) =>
  new RegExp(`line 1, has a field that .* does not know: ${name}\\. Import the file`);
const unreadable = (name: string) => new RegExp(`line 1, cannot be read: ${name}\\.$`);
const wrongPlace = /line 1, names a list that cannot be: take the file/;
const indexes = [...listIndexes, ...searchIndexes, dueIndex];
const attributes = [
  ...indexes.flatMap((index) => [`${index}pk`, `${index}sk`]),
  ...['pk', 'sk', 'revision', 'lists', 'claimed', 'version', 'expiresAtSecond'],
];
const elsewhere = (name: string) => (name.endsWith('sk') ? 9 : unread());

type Case = [what: string, file: string, change: () => Attributes, sentence: RegExp];
const head = 'organization.jsonl';
const inRecord = (subject: string, record: Attributes, sentence: RegExp): Case => [
  `${Object.keys(record).join()} in ${subject}`,
  `${subject}.jsonl`,
  () => ({ record }),
  sentence,
];
const cases: Case[] = [
  ...attributes.flatMap((name): Case[] => [
    [`${name} of a record`, 'leads.jsonl', () => ({ record: { [name]: elsewhere(name) } }), unknown(name)],
    [
      `${name} beside a record`,
      'inquiries.jsonl',
      () => ({ more: { [name]: elsewhere(name) } }),
      unknown(`more.${name}`),
    ],
  ]),
  ...indexes.map((index): Case => {
    const change = () => ({ places: { [index]: ['LEAD#6', 'ann\t000000000001'] } });
    return [`a place in ${index} that is none`, 'inquiries.jsonl', change, wrongPlace];
  }),
  ['gsi1pk of the head', head, () => ({ more: { gsi1pk: unread() } }), unknown('more.gsi1pk')],
  ['a name of the head', head, () => ({ queue: {} }), unknown('queue')],
  ['a name of a line', 'leads.jsonl', () => ({ gsi1pk: unread() }), unknown('gsi1pk')],
  inRecord('leads', { PROTO: 1 }, unknown('__proto__')),
  inRecord('leads', { toString: 1 }, unknown('toString')),
  inRecord('leads', { socials: { constructor: 'x' } }, unknown('socials.constructor')),
  // A terminal would obey it.
  inRecord('leads', { '\u001b[2K is whole': 1 }, unknown('\\(not shown\\)')),
  inRecord('organizations', { numbers: [{ number: '+61', arn: '', vip: 1 }] }, unknown('numbers.0.vip')),
  inRecord('appointments', { end: '9999-12-08T09:00:00.000Z' }, unreadable('end')),
  inRecord('appointments', { end: '2031-12-08T09:00:00.000Z' }, unreadable('end')),
  inRecord('appointments', { start: '2031-12-08T09:00:00.001Z' }, unreadable('start')),
  inRecord('appointments', { bufferAfter: 1e12 }, unreadable('bufferAfter')),
  ['what no event touched', 'leads.jsonl', () => ({ more: { touched: '' } }), unreadable('more')],
  ['what is no touch', 'events.jsonl', () => ({ more: { touched: 'x' } }), unreadable('more')],
  ['what is not shown', 'events.jsonl', () => ({ more: { shown: 'x' } }), unreadable('more')],
  ['a list of no kind', 'leads.jsonl', () => ({ lists: { 'F#4': '1' } }), wrongPlace],
  ['a place of another kind', 'notes.jsonl', () => ({ places: { gsi1: ['LEAD#1', 1] } }), wrongPlace],
  ['a rank too high', 'inquiries.jsonl', () => ({ places: { gsi1: ['INQUIRY#1#CALL', 3e7] } }), wrongPlace],
  ['a long list', head, () => ({ lists: { Q: 'CRE66I9R' } }), /more in a list than ever joined it/],
  ['a country', head, () => ({ country: 'XX' }), unreadable('country')],
  ['a key of opt-outs', head, () => ({ hashKey: 'AAAA' }), unreadable('hashKey')],
  ['a revision of the head', head, () => ({ revisions: { LEAD: 1 } }), unreadable('revisions')],
  [
    'another revision of the pipeline',
    head,
    () => ({ revisions: { PIPELINE: 1 } }),
    /pipelines\.jsonl, line 1, has another revision/,
  ],
  inRecord('messages', { createdAt: 'now' }, unreadable('createdAt')),
  inRecord('pipelines', { timeZone: 'Mars' }, unreadable('timeZone')),
  inRecord('pipelines', { days: 'all'.repeat(9) }, unreadable('days')),
  inRecord('leads', { phone: '911' }, unreadable('phone')),
  inRecord('organizations', { numbers: [{ number: '\u001b[2J', arn: '' }] }, unreadable('numbers')),
];

test('no collection has a field that the ledger maintains itself', () => {
  const fields = collections.flatMap(({ schema }) => Object.keys(schema.entries));
  expect(fields.filter((name) => attributes.includes(name))).toEqual([]);
});

test('a copy adds to its records only what events touched', () => {
  const beside = Object.entries(linesIn(join(folder, 'copy'))).flatMap(([name, lines]) =>
    lines.flatMap(({ more }) => Object.keys(more ?? {}).map((attribute) => `${name} ${attribute}`)),
  );
  expect([...new Set(beside)]).toEqual(['events.jsonl touched', 'events.jsonl shown']);
});

test.each(cases)(
  'a changed copy with new checksums is refused before anything is written: %s',
  async (what, file, change, sentence) => {
    const before = await victims();
    const path = manipulated(what, file, change());
    const importing = () => importOrganization(table.access, path);
    const calls = await table.callsOf(() => expect(importing()).rejects.toThrow(sentence));
    expect(Object.values(calls).filter((count) => count > 0)).toEqual([]);
    expect(await victims()).toEqual(before);
  },
);
