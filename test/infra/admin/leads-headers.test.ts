import { describe, expect, test } from 'vitest';
import { readLeadFile } from '../../../infra/admin/leads/lead-file.ts';
import { newOrganization } from '../../support/test-organization.ts';
import { leadsOf, Office } from './lead-office.ts';

const office = new Office();
let files = 0;

/** Leads of the lines of a file, and the names of the columns that are not applied. */
async function read(lines: readonly string[], ...map: string[]) {
  const read = await readLeadFile(office.file(`${++files}.csv`, lines.join('\n')), map);
  return read.map((line) =>
    'lead' in line ? [line.lead, ...line.notApplied.map(({ field }) => field)] : line.refusal,
  );
}

const ann = { name: 'Ann Lee', phone: '0491 570 156' };

describe('a header needs no --map', () => {
  test.each<[header: string, field: string, value: string]>([
    // reported
    ['Mobile', 'phone', '0491 570 156'],
    // made up
    ['Mobile no.', 'phone', '0491 570 156'],
    ['Phone (daytime)', 'phone', '0491 570 156'],
    ['E-mail address', 'email', 'ann@example.com'],
    ['Company', 'businessName', 'Lee & Co'],
    ['Surname', 'lastName', 'Lee'],
    ['Town', 'suburb', 'Glebe'],
  ])('%s is %s', async (header, field, value) => {
    expect(await read([`First name;${header}`, `Ann;${value}`])).toMatchObject([
      [{ firstName: 'Ann', [field]: value }],
    ]);
  });

  test.each([
    // reported
    ['Notes'],
    // made up
    ['Comments'],
    ['createdAt'],
  ])('%s is not applied, and its lines are named', async (header) => {
    const lines = [`name,${header}`, 'Ann,x', 'Bo,', 'Cy,y'];
    const named = await read(lines);
    expect(named.map((line) => line.slice(1))).toEqual([[header], [], [header]]);
    // Whoever asks to leave it out knows.
    expect((await read(lines, `${header}=`)).map((line) => line.slice(1))).toEqual([[], [], []]);
  });

  test('--map and the name of the field come before, and --map "*=" leaves out the others', async () => {
    const lines = ['Name,Contact name,Mobile,Work phone,Notes', 'Ann Lee,Bo,0491 570 156,02 5550 1234,x'];
    expect(await read(lines, '*=')).toMatchObject([[ann]]);
    expect(await read(lines, '*=', 'Work phone=phone')).toMatchObject([
      [{ name: 'Ann Lee', phone: '02 5550 1234' }],
    ]);
    await expect(read(lines, 'Contact name=')).rejects.toThrow(
      'The columns "Mobile", "Work phone" are both phone',
    );
  });
});

test.each<[what: string, lines: string[], map?: string[]]>([
  // reported
  ['semicolons, with commas in the header', ['Name, full;Phone, mobile', 'Ann Lee;0491 570 156']],
  // made up
  [
    'semicolons, with commas in names that are mapped',
    ['Who, all;Where, to', 'Ann Lee;0491 570 156'],
    ['Who, all=name', 'Where, to=phone'],
  ],
  [
    'semicolons, with a comma in each row',
    ['Name;Phone;Notes', 'Ann Lee;0491 570 156;a, b', 'Bo;;c, d'],
    ['Notes='],
  ],
  ['commas, with semicolons in the header', ['Name; full,Phone; mobile', 'Ann Lee,0491 570 156']],
  ['tabs, with both in the header', ['Name, full\tPhone; mobile', 'Ann Lee\t0491 570 156']],
  ['quotes around all', ['"Name, full";"Phone, mobile"', '"Ann Lee";"0491 570 156"']],
  ['a header alone decides by its names', ['name;phone;email,work']],
])('the delimiter is found: %s', async (_, lines, map = []) => {
  const [first] = await read(lines, ...map);
  expect(first?.[0]).toEqual(lines.length === 1 ? undefined : ann);
});

test('a line of a known lead opts its number out, and its other values are named', async () => {
  const ours = await newOrganization();
  const first = office.file(
    'first.csv',
    'name,email,phone\nAnn Lee,ann@example.com,0491 570 156\nBo,bo@example.com,\n',
  );
  await office.done('import', ours, first);
  const id = (number: number) => `lead_${ours.code}0000000${number}`;
  const second = office.file(
    'second.csv',
    'name,email,phone,suburb,status,socials.x,isOptedOut\n' +
      'Ann Lee,ANN@example.com,+61 491 570 156,Glebe,pending,@ann,yes\nBo Berg,bo@example.com,,,won,,yes\n',
  );
  const unchanged = (line: number, field: string, number: number) =>
    `line ${line}: ${field} was not applied: an import does not change ${id(number)}\n`;
  expect(await office.done('import', ours, second)).toBe(
    `line 2: is there already: ${id(1)} has this email; its number is opted out now\n` +
      `line 3: is there already: ${id(2)} has this email\n` +
      unchanged(2, 'suburb', 1) +
      unchanged(2, 'socials.x', 1) +
      unchanged(3, 'lastName', 2) +
      unchanged(3, 'status', 2) +
      'line 3: isOptedOut was not applied: the lead has no phone number\n' +
      '0 leads were created, 2 were there already, 0 lines were refused, 5 values were not applied.\n',
  );
  const { activities } = await ours.api.call('listLeadActivities', { params: { leadId: id(1) } });
  expect(activities.map(({ event }) => event)).toEqual(['LEAD_OPTED_OUT', 'LEAD_CREATED']);

  const third = office.file('third.csv', 'name,phone,isOptedOut\nAnn Lee,0491 570 156,no\n');
  await ours.api.call('updateLead', { params: { leadId: id(1) }, body: { email: '' } });
  expect(await office.done('import', ours, third)).toContain(
    'line 2: isOptedOut was not applied: the number has opted out, and only a text START from the number ends that\n',
  );
  expect((await leadsOf(ours)).map(({ suburb }) => suburb)).toEqual(['', '']);
});
