import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AdminError, onDisk } from '../../../infra/admin/admin-error.ts';
import { rowsIn } from '../../../infra/admin/leads/csv-file.ts';
import { cellOf, textOf } from '../../../infra/admin/leads/lead-cells.ts';
import { writeNewFile } from '../../../infra/admin/new-files.ts';
import type { NewLead } from '../../../shared/contract/leads.ts';
import { LeadChange } from '../../../shared/domain/leads/lead-change.ts';
import { createLead, deleteLead, getLead, leadRef } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { createInquiry } from '../../../shared/domain/inquiries/create-inquiry.ts';
import { setOptOut } from '../../../shared/domain/sms/set-opt-out.ts';
import { newOrganization, twoOrganizations } from '../../support/test-organization.ts';
import { leadsOf, Office } from './lead-office.ts';

const office = new Office();
const { ours, theirs } = await twoOrganizations();

const header =
  'id,firstName,lastName,email,phone,suburb,address.line1,address.line2,address.state,address.postcode,address.country,address.access,' +
  'businessName,socials,externalId,status,createdAt,updatedAt,read,lastInquiryId,lastInquiryDate,' +
  'unreadEmails,unreadCalls,unreadChatbotThreads,unreadSMS,unreadWebformSubmissions,hasFlaggedInquiry,isOptedOut';

test('an organization without leads exports the header alone, and importing that creates nothing', async () => {
  const file = join(office.folder, 'none.csv');
  expect(await office.done('export', theirs, file)).toBe(
    `0 leads of Test (${theirs.code}) are in ${file} now.\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe(`\uFEFF${header}\r\n`);
  expect(await office.done('import', theirs, file)).toContain('0 leads were created');
});

test('every lead is exported, the oldest first, and importing the file elsewhere creates the same leads', async () => {
  const { ledger } = ours.openLedger();
  const create = (body: NewLead) => createLead(ledger, body);
  const gone = await create({ name: 'Gone' });
  const ann = await create({
    firstName: 'Ann',
    lastName: '"A" Lee, Jr.',
    email: 'Ann@Example.com',
    phone: '0491 570 156',
    suburb: 'Weißensee',
    businessName: '=HYPERLINK("https://a.example")',
    status: 'won',
    address: { line1: '-1 Bay St', postcode: '0800' },
    socials: { instagram: '@ann', 'my "site"': '=1,\r\n+2' },
    externalId: '-7',
  });
  for (const name of ['@bo', '-1+1', "'=1", "'tis Me", "''+x", '+61491570157'])
    await create({ firstName: name });
  await updateLead(ledger, ann.id, { read: true });
  await deleteLead(ledger, gone.id);
  const ref = leadRef(ledger, ann.id);
  await ledger.write({ change: { lead: ref } }, (write, { lead }) =>
    setOptOut(write, {
      phone: ann.phone,
      lead: new LeadChange(write, ref, lead),
      isOptedOut: true,
      at: write.now,
    }),
  );
  // A caller without a name, and a caller with a hidden number: POST /v1/leads creates no such leads.
  for (const phone of ['0491 570 158', 'anonymous'])
    await createInquiry(ledger, { source: 'CALL', data: {}, lead: { phone } });

  const file = join(office.folder, 'all.csv');
  expect(await office.done('export', ours, file)).toBe(
    `9 leads of Test (${ours.code}) are in ${file} now.\n`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  const lead = await getLead(ledger, ann.id);
  expect(text.split('\r\n').slice(0, 3)).toEqual([
    `\uFEFF${header}`,
    `${lead.id},Ann,"""A"" Lee, Jr.",Ann@Example.com,+61491570156,Weißensee,'-1 Bay St,,,0800,,,"'=HYPERLINK(""https://a.example"")",` +
      `"{""instagram"":""@ann"",""my \\""site\\"""":""=1,\\r\\n+2""}",'-7,won,${lead.createdAt},${lead.updatedAt},true,,,0,0,0,0,0,false,true`,
    expect.stringMatching(/^lead_\w+,'@bo,/),
  ]);
  const names = [...text.matchAll(/^lead_\w+,([^,]*),/gm)].map(([, name]) => name);
  expect(names).toEqual(['Ann', "'@bo", "'-1+1", "''=1", "'tis Me", "'''+x", "'+61491570157", '', '']);

  expect(await office.done('import', theirs, file)).toContain('9 leads were created, 0 were there already');
  expect(await leadsOf(theirs)).toEqual(await leadsOf(ours));
  // A person who sent STOP gets no SMS from the other organization either.
  const { leads } = await theirs.api.call('listLeads', { query: { limit: 100 } });
  expect(leads.filter(({ isOptedOut }) => isOptedOut)).toMatchObject([{ phone: ann.phone }]);
});

test('no text begins a formula with any delimiter of a spreadsheet, and every text is imported unchanged', async () => {
  const [from, to] = [await newOrganization(), await newOrganization()];
  const { ledger } = from.openLedger();
  const gaps = ['', ' ', "'", '"', ' "\'', ';;"'];
  const begins = ['=1;', '+1', '-1', '@a', '＝1', '＋1', '－1', '＠a', "'=1", 'Lee', '"A"', '(=1)'];
  const names = [...begins, ...gaps.flatMap((gap) => begins.map((begin) => `Ann;${gap}${begin}`))];
  for (const name of names)
    await createLead(ledger, {
      firstName: 'Ann',
      lastName: name,
      address: { line1: name },
      businessName: `${name};`,
      socials: { [name]: name },
    });
  const file = join(office.folder, 'formulas.csv');
  await office.done('export', from, file);

  const text = readFileSync(file, 'utf8');
  const cells = [',', ';', '\t'].flatMap((delimiter) => rowsIn(text, delimiter).flatMap((row) => row.cells));
  expect(cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
  expect(text).toContain(`,Ann,Ann;Lee,,,,Ann;Lee,,,,,,Ann;Lee;,"{""Ann;Lee"":""Ann;Lee""}",`);

  expect(await office.done('import', to, file)).toContain(`${names.length} leads were created`);
  expect(await leadsOf(to)).toEqual(await leadsOf(from));
});

test('a cell converts back to its text exactly, and no part of it begins a formula', () => {
  const characters = ["'", '"', ';', '\t', '\n', ' ', '=', '＝', 'a'];
  let texts = [''];
  for (let length = 1; length <= 5; length += 1) {
    texts = texts.flatMap((text) => characters.map((character) => text + character));
    const wrong = texts.filter(
      (text) => textOf(cellOf(text)) !== text || /(?:^|[;\t\n])[\s"]*[=＝]/.test(cellOf(text)),
    );
    expect(wrong).toEqual([]);
  }
});

test('no file is overwritten, and no partial file is left', async () => {
  const file = office.file('mine.csv', 'mine');
  expect(await office.refused('export', ours, file)).toBe(
    `There is ${file} already, and nothing is overwritten: move it away, or choose another name.\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  const { stderr } = await office.leads('export', ours, join(office.folder, 'nowhere', 'leads.csv'));
  expect(stderr).toContain(`No file can be written into the folder ${join(office.folder, 'nowhere')} (`);
  expect(readdirSync(office.folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

describe('a file during its export', () => {
  test('has another name, and blocks the next export after a kill', async () => {
    const file = join(office.folder, 'killed.csv');
    await writeNewFile(file, async (write) => {
      write('whole');
      expect(readFileSync(`${file}.partial`, 'utf8')).toBe('whole');
      expect((await office.leads('export', ours, file)).stderr).toBe(
        `${file}.partial is there: another export writes to it, or one was killed. Delete it, and try again.\n`,
      );
    });
    expect(readFileSync(file, 'utf8')).toBe('whole');
    expect(existsSync(`${file}.partial`)).toBe(false);
    rmSync(file);
    const broken = writeNewFile(file, () => Promise.reject(new Error('Broken')));
    await expect(broken).rejects.toThrow('Broken');
    expect(readdirSync(office.folder).filter((name) => name.startsWith('killed'))).toEqual([]);
  });

  test('is reported in one sentence when the disk is full', () => {
    const write = () => {
      onDisk('leads.csv could not be written', () => {
        appendFileSync('/dev/full', 'Ann');
      });
    };
    expect(write).toThrow(
      new AdminError('leads.csv could not be written: ENOSPC: no space left on device, write.'),
    );
  });
});
