import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { importOrganization } from '../../../infra/admin/copy/import-organization.ts';
import { collections } from '../../../infra/admin/verify/collections.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { listIndexes, searchIndexes, dueIndex } from '../../../shared/ledger/index.ts';
import { edit, linesIn, newFolder, seal } from './copied.ts';
import { fillOrganization } from './filled-organization.ts';
import type { Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

/** A line of a record, or of the head. */
type Line = Attributes & { record: Attributes; places: Attributes; more?: Attributes };

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
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Changes the first matching line of a file, and updates all checksums. */
function manipulated(name: string, file: string, change: (line: Line) => void): string {
  const path = join(folder, name.replaceAll(/\W+/g, '-'));
  cpSync(join(folder, 'copy'), path, { recursive: true });
  edit(path, file, (text) => {
    const [first = '', ...rest] = text.split('\n');
    const line = JSON.parse(first) as Line;
    change(line);
    // An assignment cannot set these names.
    return [JSON.stringify(line).replaceAll('"PROTO"', '"__proto__"'), ...rest].join('\n');
  });
  seal(path);
  return path;
}

const unknown = (name: string) => new RegExp(`line 1, has what .* does not know: ${name}\\. Take the file`);
const unreadable = (name: string) => new RegExp(`line 1, cannot be read: ${name}\\.$`);
const wrongPlace = /line 1, names a list that cannot be: take the file/;
const indexes = [...listIndexes, ...searchIndexes, dueIndex];
const attributes = [
  ...indexes.flatMap((index) => [`${index}pk`, `${index}sk`]),
  ...['pk', 'sk', 'revision', 'lists', 'claimed', 'version', 'expiresAtSecond'],
];
const elsewhere = (name: string) => (name.endsWith('sk') ? 9 : unread());

type Case = [what: string, file: string, change: (line: Line) => void, sentence: RegExp];
const head = 'organization.jsonl';
const cases: Case[] = [
  ...attributes.flatMap((name): Case[] => [
    [`${name} of a record`, 'leads.jsonl', ({ record }) => (record[name] = elsewhere(name)), unknown(name)],
    [
      `${name} beside a record`,
      'inquiries.jsonl',
      (line) => (line.more = { [name]: elsewhere(name) }),
      unknown(`more.${name}`),
    ],
  ]),
  ...indexes.map((index): Case => {
    const change = ({ places }: Line) => (places[index] = ['LEAD#6', 'ann\t000000000001']);
    return [`a place in ${index} that is none`, 'inquiries.jsonl', change, wrongPlace];
  }),
  ['gsi1pk of the head', head, (line) => (line.more = { gsi1pk: unread() }), unknown('more.gsi1pk')],
  ['a name of the head', head, (line) => (line['queue'] = {}), unknown('queue')],
  ['a name of a line', 'leads.jsonl', (line) => (line['gsi1pk'] = unread()), unknown('gsi1pk')],
  ['a name of JavaScript', 'leads.jsonl', ({ record }) => (record['PROTO'] = 1), unknown('__proto__')],
  ['a name of every object', 'leads.jsonl', ({ record }) => (record['toString'] = 1), unknown('toString')],
  [
    'a name within a record',
    'organizations.jsonl',
    ({ record }) => Object.assign((record['numbers'] as Attributes[])[0]!, { vip: 1 }),
    unknown('numbers.0.vip'),
  ],
  [
    'a name of JavaScript within a record',
    'leads.jsonl',
    ({ record }) => (record['socials'] = { constructor: 'x' }),
    unknown('socials.constructor'),
  ],
  [
    'a name that a terminal heeds',
    'leads.jsonl',
    ({ record }) => (record['\u001b[2K is whole'] = 1),
    unknown('\\(not shown\\)'),
  ],
  ['what no event touched', 'leads.jsonl', (line) => (line.more = { touched: '' }), unreadable('more')],
  ['what is no touch', 'events.jsonl', (line) => (line.more = { touched: 'x' }), unreadable('more')],
  [
    'a list of no kind',
    'leads.jsonl',
    (line) => (line['lists'] = { ...(line['lists'] as object), 'FAQ#4': '1' }),
    wrongPlace,
  ],
  ['a place of another kind', 'notes.jsonl', ({ places }) => (places['gsi1'] = ['LEAD#1', 1]), wrongPlace],
  [
    'a long list',
    head,
    (line) => (line['lists'] = { ...(line['lists'] as object), TOKEN: '999999999999' }),
    /counts more in a list than ever joined it/,
  ],
  [
    'a long key',
    'transfers.jsonl',
    ({ record }) => (record['label'] = 'x'.repeat(1100)),
    /makes a key that is longer/,
  ],
  [
    'a large item',
    'policies.jsonl',
    ({ record }) => (record['content'] = 'x'.repeat(410_000)),
    /line 1, is larger than the 400 KB that DynamoDB takes/,
  ],
  [
    'half a character',
    'policies.jsonl',
    ({ record }) => (record['content'] = '\ud800'),
    /a number or a text that DynamoDB/,
  ],
  [
    'a number of a thousand digits',
    'services.jsonl',
    ({ record }) => (record['duration'] = 1e200),
    /a number or a text/,
  ],
  [
    'an inexact number',
    'services.jsonl',
    ({ record }) => (record['duration'] = 2 ** 60),
    /a number or a text/,
  ],
  ['a moment', 'messages.jsonl', ({ record }) => (record['createdAt'] = 'now'), unreadable('createdAt')],
  [
    'a rank that nobody got',
    'inquiries.jsonl',
    ({ places }) => (places['gsi1'] = [(places['gsi1'] as unknown[])[0], 30_000_000]),
    wrongPlace,
  ],
  ['a country', head, (line) => (line['country'] = 'XX'), unreadable('country')],
  ['a key of opt-outs', head, (line) => (line['hashKey'] = 'AAAA'), unreadable('hashKey')],
  ['a revision of the head', head, (line) => (line['revisions'] = { LEAD: 1 }), unreadable('revisions')],
  [
    'another revision of the pipeline',
    head,
    (line) => (line['revisions'] = { PIPELINE: 1 }),
    /pipelines\.jsonl, line 1, has another revision/,
  ],
  ['a time zone', 'pipelines.jsonl', ({ record }) => (record['timeZone'] = 'Mars'), unreadable('timeZone')],
  ['days', 'pipelines.jsonl', ({ record }) => (record['days'] = 'all'.repeat(9)), unreadable('days')],
  ['a phone number of a lead', 'leads.jsonl', ({ record }) => (record['phone'] = '911'), unreadable('phone')],
  [
    'a phone number of the organization',
    'organizations.jsonl',
    ({ record }) => (record['numbers'] = [{ number: '\u001b[2J', arn: '' }]),
    unreadable('numbers'),
  ],
];

test('no collection has a field that the ledger maintains itself', () => {
  const fields = collections.flatMap(({ schema }) => Object.keys(schema.entries));
  expect(fields.filter((name) => attributes.includes(name))).toEqual([]);
});

test('a copy adds to its records only what events touched', () => {
  const beside = Object.entries(linesIn(join(folder, 'copy'))).flatMap(([name, lines]) =>
    lines.flatMap(({ more }) => Object.keys(more ?? {}).map((attribute) => `${name} ${attribute}`)),
  );
  expect([...new Set(beside)]).toEqual(['events.jsonl touched']);
});

describe('a changed copy with new checksums is refused before anything is written', () => {
  test.each(cases)('%s', async (what, file, change, sentence) => {
    const before = await victims();
    const path = manipulated(what, file, change);
    const importing = () => importOrganization(table.access, path);
    const calls = await table.callsOf(() => expect(importing()).rejects.toThrow(sentence));
    expect(Object.values(calls).filter((count) => count > 0)).toEqual([]);
    expect(await victims()).toEqual(before);
  });
});
