import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { headFile } from '../../../infra/admin/copy/format.ts';
import { importOrganization } from '../../../infra/admin/copy/import-organization.ts';
import { collections } from '../../../infra/admin/table/collections.ts';
import { listIndexes, searchIndexes, dueIndex } from '../../../shared/ledger/index.ts';
import { edit, linesIn, seal } from './copied.ts';
import { fillOrganization } from './filled-organization.ts';
import type { Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { newFolder } from '../../support/new-folder.ts';

const folder = newFolder();
const table = new TableInMemory();
/** Partition of another organization's unread inquiries. */
const unread = 'ORG#00000000#INQUIRY#4#unread';

const organization = await table.found();
await table.run(async () => {
  await fillOrganization(organization);
  await exportOrganization(table.access, organization.code, join(folder, 'copy'));
});

/** Expects that an import of a copy with a changed file is refused before any call. `seals` updates all checksums. */
async function expectRefused(
  what: string,
  file: string,
  change: (text: string) => string | Buffer,
  sentence: RegExp,
  seals = true,
): Promise<void> {
  const path = join(folder, what.replaceAll(/\W+/g, '-'));
  cpSync(join(folder, 'copy'), path, { recursive: true });
  edit(path, file, change);
  if (seals) seal(path);
  const importing = () => importOrganization(table.access, path);
  const calls = await table.callsOf(() => expect(importing()).rejects.toThrow(sentence));
  expect(Object.values(calls).filter((count) => count > 0)).toEqual([]);
}

/** Changes properties of the first line of a file, at any depth. */
function manipulated(text: string, change: Attributes): string {
  const [first = '', ...rest] = text.split('\n');
  const line = merged(JSON.parse(first), change);
  // An assignment cannot set this name.
  return [JSON.stringify(line).replaceAll('"PROTO"', '"__proto__"'), ...rest].join('\n');
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
const noSum = `"sha256":"${'0'.repeat(64)}`;
const elsewhere = (name: string) => (name.endsWith('sk') ? 9 : unread);

type Case = [what: string, file: string, change: Attributes, sentence: RegExp];
const inRecord = (subject: string, record: Attributes, sentence: RegExp): Case => [
  `${Object.keys(record).join()} in ${subject}`,
  `${subject}.jsonl`,
  { record },
  sentence,
];
const cases: Case[] = [
  ...attributes.flatMap((name): Case[] => [
    [`${name} of a record`, 'leads.jsonl', { record: { [name]: elsewhere(name) } }, unknown(name)],
    [
      `${name} beside a record`,
      'inquiries.jsonl',
      { more: { [name]: elsewhere(name) } },
      unknown(`more.${name}`),
    ],
  ]),
  ...indexes.map((index): Case => {
    const change = { places: { [index]: ['LEAD#6', 'ann\t000000000001'] } };
    return [`a place in ${index} that is none`, 'inquiries.jsonl', change, wrongPlace];
  }),
  ['gsi1pk of the head', headFile, { more: { gsi1pk: unread } }, unknown('more.gsi1pk')],
  ['a name of the head', headFile, { queue: {} }, unknown('queue')],
  ['a name of a line', 'leads.jsonl', { gsi1pk: unread }, unknown('gsi1pk')],
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
  ['what no event touched', 'leads.jsonl', { more: { touched: '' } }, unreadable('more')],
  ['what is no touch', 'events.jsonl', { more: { touched: 'x' } }, unreadable('more')],
  ['what is not shown', 'events.jsonl', { more: { shown: 'x' } }, unreadable('more')],
  ['a list of no kind', 'leads.jsonl', { lists: { 'F#4': '1' } }, wrongPlace],
  ['a place of another kind', 'notes.jsonl', { places: { gsi1: ['LEAD#1', 1] } }, wrongPlace],
  ['a rank too high', 'inquiries.jsonl', { places: { gsi1: ['INQUIRY#1#CALL', 3e7] } }, wrongPlace],
  ['a long list', headFile, { lists: { Q: 'CRE66I9R' } }, /more in a list than ever joined it/],
  ['a country', headFile, { country: 'XX' }, unreadable('country')],
  ['a key of opt-outs', headFile, { hashKey: 'AAAA' }, unreadable('hashKey')],
  ['a revision of the head', headFile, { revisions: { LEAD: 1 } }, unreadable('revisions')],
  [
    'another revision of the pipeline',
    headFile,
    { revisions: { PIPELINE: 1 } },
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

test.each(cases)('a copy with new checksums is refused before any call: %s', (what, file, change, sentence) =>
  expectRefused(what, file, (text) => manipulated(text, change), sentence),
);

const ofLeads = 'leads.jsonl';
const ofInquiries = 'inquiries.jsonl';
test.each<[what: string, file: string, from: RegExp, to: string, sentence: RegExp, encoding?: 'latin1']>([
  ['are cut in a line', ofLeads, /.{9}$/s, '', /leads\.jsonl is cut: line 2 has no end/],
  ['lack a line', ofLeads, /\n.*\n$/, '\n', /leads\.jsonl has 1 lines and must have 2/],
  ['have a line too many', ofLeads, /^(.*\n)(.*\n)$/, '$1$2$1', /leads\.jsonl, line 3, does not fit/],
  ['are no JSON', ofLeads, /\{/, '[', /leads\.jsonl, line 1, is no JSON/],
  ['lack a field', ofLeads, /"firstName":"Di",/, '', /leads\.jsonl, line 2, cannot be read: firstName/],
  ['have another id', ofLeads, /00000001"/, '00000003"', /leads\.jsonl, line 1, has another id/],
  ['have a value twice', ofLeads, /Di@/, 'Ann@', /leads\.jsonl, line 2, has what another record has/],
  ['have a later record', ofLeads, /"revision":/, '$&9', /leads\.jsonl, line 1, does not fit/],
  ['have a member elsewhere', ofInquiries, /#1#CALL/, '#1#EMAIL', /The members of the list INQUIRY#1#/],
  ['name no list', ofInquiries, /"LEAD#0{11}1#/, '"LEAD#000000000099#', /line 1, is in a list of what never/],
  ['have another form', headFile, /"form":1/, '"form":2', /of form 2\.4/],
  ['are of newer code', headFile, /"L":/, '"VISIT":"2","L":', /knows no VISIT/],
  ['have no owner', headFile, /"M":"2",/, '', /members\.jsonl is of no kind of record/],
  [
    'have another value',
    ofLeads,
    /Ann/,
    'Eve',
    /leads\.jsonl was changed: take the file exactly as the export wrote it\.$/,
  ],
  [
    'have another key of opt-outs',
    headFile,
    /"hashKey":"../,
    '"hashKey":"zz',
    /organization\.jsonl was changed/,
  ],
  ['have another sum', headFile, /"sha256":"\w+/, noSum, /organization\.jsonl was changed/],
  ['have another own sum', headFile, /\n\{"sha256":"\w+/, `\n{${noSum}`, /organization\.jsonl was changed/],
  ['have a shorter head', headFile, /\n.*\n$/, '\n', /organization\.jsonl must have two lines/],
  ['are no UTF-8', ofLeads, /Di/, 'D\u00ED', /leads\.jsonl, line 2, is no UTF-8/, 'latin1'],
])('changed files that %s are refused before any call', (what, file, from, to, sentence, encoding) => {
  const change = (text: string) => {
    expect(text).toMatch(from);
    return Buffer.from(text.replace(from, to), encoding);
  };
  const seals = file === headFile && !sentence.source.includes('organization');
  return expectRefused(what, file, change, sentence, seals);
});
