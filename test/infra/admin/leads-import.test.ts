import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importLeads, importLines } from '../../../infra/admin/leads/import-leads.ts';
import { readLeadFile } from '../../../infra/admin/leads/lead-file.ts';
import { realSystem } from '../../../shared/core/system.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import { dyingStore } from '../../support/store/faulty-store.ts';
import {
  newStore,
  newOrganization,
  twoOrganizations,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { given, leadsOf, Office } from './lead-office.ts';
import { notPhone } from '../../support/not-phone.ts';

const office = new Office();
const saved = (name: string) => join(import.meta.dirname, 'leads-files', name);

const summary = (created: number, there = 0, refused = 0, notApplied = 0) =>
  `${created} ${created === 1 ? 'lead was' : 'leads were'} created, ${there} ${there === 1 ? 'was' : 'were'} there already, ` +
  `${refused} ${refused === 1 ? 'line was' : 'lines were'} refused` +
  (notApplied === 0
    ? '.\n'
    : `, ${notApplied} ${notApplied === 1 ? 'value was' : 'values were'} not applied.\n`);

/** Verified after the last test. */
const { ours: shared, theirs: empty } = await twoOrganizations();

describe('files as programs save them', () => {
  const map = (...pairs: string[]) => pairs.flatMap((pair) => ['--map', pair]);

  test('Excel in German: semicolons, byte order mark, CRLF, a line break in a cell, blank rows below', async () => {
    const ours = await newOrganization();
    const named = [
      'Vorname=firstName',
      'NACHNAME=lastName',
      'Telefon=phone',
      'Ort=suburb',
      'Firma=businessName',
    ];
    const { code, stdout, stderr } = await office.leads(
      ...(['import', ours, saved('excel-german.csv'), ...map(...named, 'Bemerkung=')] as const),
    );
    expect(stdout).toBe(
      `lines 2 to 3: status must be one of pending, active, quoted, won, lost, archived\n${summary(2, 0, 1)}`,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(await leadsOf(ours)).toEqual([
      given({
        firstName: 'Änne',
        lastName: 'Groß',
        email: 'aenne@example.com',
        suburb: 'Weißensee',
        status: 'active',
      }),
      given({ firstName: 'Zoë', lastName: 'O"Neil', email: 'zoe@example.com', phone: '+61491570157' }),
    ]);
  });

  test('Excel in English: names of columns with spaces', async () => {
    const ours = await newOrganization();
    expect(await office.done('import', ours, saved('excel-english.csv'))).toBe(summary(2));
    expect(await leadsOf(ours)).toEqual([
      given({
        firstName: 'Sofia',
        lastName: 'Rossi',
        email: 'sofia.rossi@example.com',
        phone: '+61491570159',
        suburb: 'Leichhardt',
        status: 'active',
      }),
      given({
        firstName: 'Lee, Jr.',
        lastName: 'Ann',
        email: 'ann.lee@example.com',
        suburb: 'Surry Hills',
        businessName: 'Lee & Sons, Pty Ltd',
        status: 'won',
      }),
    ]);
  });

  test('Google Sheets: profiles; a second import finds each of several equal lines without email or phone', async () => {
    const ours = await newOrganization();
    expect(await office.done('import', ours, saved('google-sheets.csv'))).toBe(summary(3));
    const cy = given({
      firstName: 'Cy',
      lastName: 'Day',
      socials: { linkedin: 'in/cyday', facebook: 'cy.day' },
    });
    const all = [
      given({
        firstName: 'Bo',
        lastName: 'Chan',
        email: 'bo.chan@example.com',
        phone: '+61491570158',
        socials: { instagram: '@bochan' },
      }),
      ...[cy, cy],
    ];
    expect(await leadsOf(ours)).toEqual(all);
    const id = (number: number) => `lead_${ours.code}0000000${number}`;
    expect(await office.done('import', ours, saved('google-sheets.csv'))).toBe(
      `line 2: is there already: ${id(1)} has this email\n` +
        `line 3: is there already: ${id(2)} has all of it\n` +
        `line 4: is there already: ${id(3)} has all of it\n${summary(0, 3)}`,
    );
    expect(await leadsOf(ours)).toEqual(all);
    // A deleted lead is created again.
    await ours.api.call('deleteLead', { params: { leadId: id(2) } });
    expect(await office.done('import', ours, saved('google-sheets.csv'))).toContain(summary(1, 2));
  });

  test('HubSpot and Pipedrive: columns named by --map, all others left out', async () => {
    const ours = await newOrganization();
    const ofHubSpot = map(
      ...['Record ID=externalId', 'Phone Number=phone', 'City=suburb'],
      ...['Associated Company=businessName', '*='],
    );
    expect(await office.done('import', ours, saved('hubspot.csv'), ...ofHubSpot)).toBe(summary(2));
    const ofPipedrive = map(
      ...['Person - Name=name', 'Person - Email - Work=email', 'Person - Phone - Work=phone', '*='],
    );
    const { stdout } = await office.leads('import', ours, saved('pipedrive.csv'), ...ofPipedrive);
    expect(stdout).toBe(`line 3: phone ${notPhone}\n${summary(1, 0, 1)}`);
    expect(await leadsOf(ours)).toEqual([
      given({
        firstName: 'Mia',
        lastName: 'Tran',
        email: 'mia.tran@example.com',
        phone: '+61491570110',
        suburb: 'Marrickville',
        businessName: 'Tran Tiles',
        externalId: '10257',
      }),
      given({ firstName: 'Dan', email: 'dan@example.com', externalId: '10258' }),
      given({ firstName: 'Eve', lastName: 'Fox', email: 'eve.fox@example.com', phone: '+61491570313' }),
    ]);
  });

  test('ids of another system: they alone identify a line without email and phone', async () => {
    const ours = await newOrganization();
    const file = office.file('ids.csv', 'name,External ID\nGus,g-1\nGus,G-1\nGus,g-1\n');
    const id = (number: number) => `lead_${ours.code}0000000${number}`;
    const there = (line: number, leadId: string) =>
      `line ${line}: is there already: ${leadId} has this externalId\n`;
    expect(await office.done('import', ours, file)).toBe(`${there(4, id(1))}${summary(2, 1)}`);
    // The line has no other mark, so a lead with another id is another lead.
    const params = { leadId: id(1) };
    await ours.api.call('updateLead', { params, body: { externalId: 'g-2' } });
    expect(await office.done('import', ours, file)).toBe(
      `${there(3, id(2))}${there(4, id(3))}${summary(1, 2)}`,
    );
    const externalIds = (await leadsOf(ours)).map(({ externalId }) => externalId);
    expect(externalIds).toEqual(['g-2', 'G-1', 'g-1']);
  });

  test('ServiceM8: two columns for the phone number, and one that lost its leading zero', async () => {
    const ours = await newOrganization();
    const named = [
      'Contact First=firstName',
      'Contact Last=lastName',
      'Mobile=phone',
      'Company Name=businessName',
      '*=',
    ];
    const typed = ['import', ours, saved('servicem8.csv'), ...map(...named)] as const;
    expect(await office.refused(...typed)).toBe(
      'The columns "Mobile", "Phone" are both phone: leave one out in the file, or with --map "Phone=".\n',
    );
    expect(await office.done(...typed, '--map', 'Phone=')).toBe(summary(2));
    expect(await leadsOf(ours)).toMatchObject([
      { firstName: 'Ivy', phone: '+61491570737', suburb: 'Newtown', businessName: 'Ivy Jones' },
      { firstName: 'Kim', phone: '+61491571266', suburb: 'Glebe', businessName: "Kim's Café" },
    ]);
  });
});

test('each refused line is reported with its number and the reason, also as JSON', async () => {
  const ours = shared;
  const file = office.file(
    'lines.csv',
    [
      'id,Name,email,status,read,socials,suburb,createdAt',
      ',Ann Lee,ann@example.com,ACTIVE,Yes,,"Surry\r\nHills",2020-01-01',
      ',Ann Lee,ann@example.com, Active ,yes,,,#N/A,,',
      ',Bo,bo.example.com,,,,,',
      ',,cy@example.com,,,,,',
      ',Di,di@example.com,,,,',
      ',Di,di@example.com,,,,,,more',
      'Di',
      ',Ed,ed@example.com,,perhaps,,,',
      ',Fi,fi@example.com,,,@fi,,',
      ',#REF!,fo@example.com,,,,,',
      ',Gus,ANN@example.com,,,,,',
      ',"Hal Ho,,,,,,\n,"Ida",,,,,,',
      ',\'=1+1,,,,,5" pipe,',
      ',\uFFFD,,,,,,',
      ',Jo,jo@example.com,,,"{""x"":""javascript:x""}",,',
    ].join('\r\n'),
  );
  const refused = [
    [2, 3, 2, 'suburb must be a single line of text'],
    [5, 5, 4, 'email must be an email address'],
    [6, 6, 5, 'firstName is required where there is no name'],
    [7, 7, 6, 'has 7 cells, where the header has 8'],
    [8, 8, 7, 'has 9 cells, where the header has 8'],
    [9, 9, 8, 'has 1 cell, where the header has 8'],
    [10, 10, 9, 'read must be true or false'],
    [11, 11, 10, 'socials must be JSON such as {"instagram":"@annlee"}'],
    [12, 12, 11, 'name is #REF!, which a spreadsheet writes where a formula has failed: write the value'],
    [
      ...[14, 15, 13],
      'a cell begins with a quote that is not closed, so the cell swallowed lines 14 to 15: write a quote twice if it is part ' +
        'of the text',
    ],
    [17, 17, 15, 'name must be valid UTF-8, without U+FFFD, which stands for what could not be read'],
    [
      18,
      18,
      16,
      'socials.x must be a link that begins with https:// or http://, or a name without a scheme, such as @joe',
    ],
  ].map(([line, end, number, message]) => ({ line, end, number, message }));
  const id = (number: number) => `lead_${ours.code}0000000${number}`;
  const { code, stdout } = await office.leads('import', ours, file, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    organization: ours.code,
    total: 15,
    created: [
      { line: 4, end: 4, number: 3, id: id(1) },
      { line: 16, end: 16, number: 14, id: id(2) },
    ],
    alreadyThere: [{ line: 13, end: 13, number: 12, id: id(1), field: 'email', isOptedOut: false }],
    notApplied: [
      { line: 4, end: 4, number: 3, field: 'createdAt', message: 'the service sets this field' },
      { line: 13, end: 13, number: 12, field: 'firstName', message: `an import does not change ${id(1)}` },
    ],
    refused,
    stopped: null,
  });
  expect(await leadsOf(ours)).toEqual([
    given({ firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com', status: 'active', read: true }),
    given({ firstName: '=1+1', suburb: '5" pipe' }),
  ]);
  const text = (await office.leads('import', ours, file)).stdout.split('\n');
  expect(text.slice(2, 6)).toEqual([
    'line 16 (row 14 of the spreadsheet): is there already: lead_'.concat(
      ours.code,
      '00000002 has all of it',
    ),
    'line 4 (row 3 of the spreadsheet): createdAt was not applied: the service sets this field',
    `line 13 (row 12 of the spreadsheet): firstName was not applied: an import does not change ${id(1)}`,
    'lines 2 to 3: suburb must be a single line of text',
  ]);
});

test('a first line that names the delimiter for Excel is no row; an opt-out can have its own column', async () => {
  const ours = await newOrganization();
  const rows = [
    'sep=|',
    'name|phone|Unsubscribed',
    'Ann|0491 570 006|YES',
    'Bo|0491 570 156|no',
    'Cy||yes',
    'Di||x',
  ];
  const file = office.file('sep.csv', rows.join('\r\n'));
  const typed = ['import', ours, file, '--map', 'Unsubscribed=isOptedOut'] as const;
  expect((await office.leads(...typed)).stdout).toBe(
    'line 5 (row 4 of the spreadsheet): isOptedOut was not applied: the lead has no phone number\n' +
      `line 6 (row 5 of the spreadsheet): isOptedOut must be true or false\n${summary(3, 0, 1, 1)}`,
  );
  const { leads } = await ours.api.call('listLeads');
  expect(leads.map(({ firstName, isOptedOut }) => [firstName, isOptedOut])).toEqual([
    ['Cy', false],
    ['Bo', false],
    ['Ann', true],
  ]);
});

describe('an import that stops early', () => {
  const context = {
    progress: () => undefined,
    system: realSystem,
    signal: new AbortController().signal,
  };
  const opened = (organization: TestOrganization, store: Store = newStore()) => ({
    ledger: organization.openLedger({ store }).ledger,
    renewLimits: () => undefined,
  });

  test('is run again after a kill before or after any call, and stores each line once', async () => {
    const lines = await readLeadFile(saved('google-sheets.csv'), []);
    let isOver = false;
    for (let at = 1; !isOver; at++) {
      for (const when of ['before', 'after'] as const) {
        const organization = await newOrganization();
        const { store, calls } = dyingStore(at, when);
        const report = await importLeads(lines, opened(organization, store), context);
        isOver = calls() < at;
        expect(report.stopped === undefined).toBe(isOver);
        const { created, alreadyThere, refused } = await importLeads(lines, opened(organization), context);
        expect(created.length + alreadyThere.length).toBe(3);
        expect(refused).toEqual([]);
        expect((await leadsOf(organization)).map(({ firstName }) => firstName)).toEqual(['Bo', 'Cy', 'Cy']);
      }
      expect(at).toBeLessThan(10);
    }
  });

  test('prints its progress every five seconds, and its result after Ctrl-C', async () => {
    const ours = await newOrganization();
    const rows = Array.from({ length: 350 }, (_, at) => `Ann,ann@example.com,${at % 100 === 0 ? '' : 'x'}`);
    const file = office.file('many.csv', ['name,email,Notes', ...rows].join('\n'));
    const lines = await readLeadFile(file, ['Notes=']);
    const stop = new AbortController();
    const told: string[] = [];
    let now = 0;
    const report = await importLeads(lines, opened(ours), {
      ...context,
      system: { ...realSystem, now: () => (now += 4000) },
      progress: (line) => {
        told.push(line);
        stop.abort();
      },
      signal: stop.signal,
    });
    expect(told).toEqual(['200 of 350 lines, 25 a second, 6 seconds left']);
    expect(importLines(report).slice(-2)).toEqual([
      'It was interrupted after 200 of 350 lines. Run it again: it goes on where it was.',
      '1 lead was created, 199 were there already, 0 lines were refused.',
    ]);
  });
});

describe('a wrong file is refused before anything is stored', () => {
  const instead =
    'In Excel choose File, Save As, and the type "CSV UTF-8 (Comma delimited) (*.csv)"; in Google Sheets File, Download, ' +
    'Comma-separated values. Nothing was imported.';
  const fields =
    'A field can be name, firstName, lastName, email, phone, suburb, address.line1, address.line2, address.state, address.postcode, address.country, ' +
    'address.access, businessName, socials, externalId, status, isOptedOut, read, or socials.NAME for ' +
    'one profile.';
  const path = (name: string) => join(office.folder, name);

  test.each<[what: string, content: string | Uint8Array | undefined, sentence: string, map?: string[]]>([
    ['no file', undefined, `There is no file ${path('no file')}: check its name and folder.`],
    ['empty', '\uFEFF\r\n', `${path('empty')} is empty: its first row must name the columns.`],
    [
      'Latin-1',
      Buffer.from('name,email\nAnn,a@example.com\nJürgen,j@example.com\n', 'latin1'),
      `${path('Latin-1')} is not text in UTF-8: line 3 has a character of another encoding, such as Windows-1252. ${instead}`,
    ],
    [
      'UTF-16',
      Buffer.from('\uFEFFname\temail\n', 'utf16le'),
      `${path('UTF-16')} is text in UTF-16, not in UTF-8. ${instead}`,
    ],
    [
      'UTF-16 bare',
      Buffer.from('name\n', 'utf16le'),
      `${path('UTF-16 bare')} is text in UTF-16, not in UTF-8. ${instead}`,
    ],
    ['zeros', 'name\nA\0nn\n', `${path('zeros')} is no text: it has zero bytes. ${instead}`],
    ['book', 'PK\x03\x04…', `${path('book')} is a workbook of Excel, not a CSV file. ${instead}`],
    [
      'open quote',
      'name,suburb\nAnn,\n"Bo,\nCy,\n',
      'The quote that opens in line 3 is never closed, so the rest of the file cannot be read. Close the quote, or write it ' +
        'twice if it is part of the text. Nothing was imported.',
    ],
    [
      'no header',
      'Ann,ann@example.com\n',
      'No column is a field of a lead: the first row must name the columns, and it has "Ann", "ann@example.com". Say what ' +
        `each is, by --map "Ann=FIELD", or leave it out: --map "Ann="; --map "*=" leaves out all that are no field. ${fields}`,
    ],
    [
      'unknown',
      'name;Colour;Hobby\n',
      'No field of a lead: "Colour", "Hobby". Say what each is, by --map "Colour=FIELD", or leave it out: ' +
        `--map "Colour="; --map "*=" leaves out all that are no field. ${fields}`,
    ],
    [
      'twice',
      'name,Email,email\n',
      'The columns "Email", "email" are both email: leave one out in the file.',
    ],
    [
      'nameless',
      'email,phone\n',
      'No column is the name of a lead: say which one it is, such as --map "Contact=name". The columns are "email", "phone".',
    ],
    [
      'unnamed',
      'name,\nAnn,x\n',
      'A column with values has no name: give it one in the first row of the file.',
    ],
    [
      'pair',
      'name\n',
      '--map "Company" must be "Column=field", or "Column=" to leave the column out.',
      ['Company'],
    ],
    [
      'field',
      'name\n',
      `--map "Company=company": "company" is no field of a lead. ${fields.replace('A field can be', 'Use one of these:')}`,
      ['Company=company'],
    ],
    [
      'missing',
      'name\n',
      '--map names "Company", which the file does not have. Its columns are "name".',
      ['Company=businessName'],
    ],
    ['doubled', 'name,a\n', '--map says twice what the column "A" is.', ['a=email', 'A=phone']],
  ])('%s', async (what, content, sentence, map = []) => {
    const file = content === undefined ? path(what) : office.file(what, content);
    const typed = map.flatMap((pair) => ['--map', pair]);
    expect(await office.refused('import', empty, file, ...typed)).toBe(`${sentence}\n`);
  });

  test('a folder', async () => {
    expect(await office.refused('import', empty, office.folder)).toBe(
      `${office.folder} is a folder: name the CSV file that is in it.\n`,
    );
    expect((await empty.api.call('listLeads')).totalCount).toBe(0);
  });
});
