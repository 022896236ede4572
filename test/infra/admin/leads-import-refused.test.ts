import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listLeadsEndpoint } from '../../../shared/contract/leads.ts';
import { newOrganization } from '../../support/world.ts';
import { Office } from './lead-office.ts';

const office = new Office();
const ours = await newOrganization();

describe('a wrong file is refused before anything is stored', () => {
  const instead =
    'In Excel choose File, Save As, and the type "CSV UTF-8 (Comma delimited) (*.csv)"; in Google Sheets File, Download, ' +
    'Comma-separated values. Nothing was imported.';
  const fields =
    'A field can be name, firstName, lastName, email, phone, suburb, businessName, socials, status, read, isOptedOut, or socials.NAME for ' +
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
      'The quote that opens in line 3 is closed nowhere, so that what follows cannot be told apart: close it, or write it ' +
        'twice where it is meant as a quote. Nothing was imported.',
    ],
    [
      'no header',
      'Ann,ann@example.com\n',
      'No column is a field of a lead: the first row must name the columns, and it has "Ann", "ann@example.com". Say what ' +
        `each is, by --map "Ann=FIELD", or leave it out: --map "Ann="; --map "*=" leaves out all that are no field. ${fields}`,
    ],
    [
      'unknown',
      'name;Company;Notes\n',
      'No field of a lead: "Company", "Notes". Say what each is, by --map "Company=FIELD", or leave it out: ' +
        `--map "Company="; --map "*=" leaves out all that are no field. ${fields}`,
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
      `--map "Company=company": "company" is no field of a lead. ${fields.replace('A field', 'It')}`,
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
    expect(await office.leads('import', ours, file, ...typed)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `${sentence}\n`,
    });
  });

  test('a folder', async () => {
    expect((await office.leads('import', ours, office.folder)).stderr).toBe(
      `${office.folder} is a folder: name the CSV file that is in it.\n`,
    );
    expect((await ours.api.call(listLeadsEndpoint)).totalCount).toBe(0);
  });
});
