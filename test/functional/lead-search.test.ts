import { describe, expect, test } from 'vitest';
import { newOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();

const search = (q: string, { api } = ours, query: Record<string, number> = {}) =>
  api.call('listLeads', { query: { q, limit: 100, ...query } });
const namesOf = async (q: string) => {
  const { leads, totalCount, hasMore } = await search(q);
  expect([totalCount, hasMore]).toEqual([leads.length, false]);
  return leads.map(({ firstName, lastName, businessName }) =>
    [firstName, lastName, businessName].filter(Boolean).join(' '),
  );
};

/** First name, last name, business name, email and phone number. */
const people: readonly (readonly [string, string?, string?, string?, string?])[] = [
  ['Grace', 'Liu', '', 'grace.liu@example.com', '+61491570156'],
  ['Grace', 'Lindqvist'],
  ['Liu', 'Gang'],
  ['Mary-Jane', 'Watson', 'Watson & Daughters'],
  ['Mary', 'Janes'],
  ['Siobhán', 'O’Connorly', '', '', '+353861234567'],
  ['Ann', 'Lee', '', 'ann@example.com', '+61491570157'],
  ['Anna', 'Leeds', '', 'anna@example.org'],
  ['José', 'Núñez', 'Tejados Núñez S.L.', '', '+34612345678'],
  ['Łukasz', 'Żółć'],
  ['Đặng', 'Thị Hoa'],
  ['Οδυσσέας', 'Παπαδόπουλος'],
  ['Søren', 'Kierkegård'],
  ['Işıl', 'Çağlar'],
  ['İbrahim', 'Yıldız'],
  ['Straße', 'Müller'],
  ['Björn', 'Þórsson'],
  ['Æsa', 'Ægisdóttir'],
  ['小明', '王'],
  ['さくら', '田中'],
  ['민준', '김'],
  ['Иван', 'Петров'],
  ['محمد', 'الفارسي'],
  ['דוד', 'לוי'],
  ['अनिल', 'शर्मा'],
  ['สมชาย', 'ใจดี'],
  ['Nguyễn', 'Văn An'],
  ['Anne-Sophie', "D'Artagnan"],
  ['Jean Luc', 'de la Tour'],
  ['Van der', 'Berg', 'Berg Roofing Pty Ltd'],
  ['Tāne', 'Hēnare'],
  ['Kalei', 'Kaʻahumanu'],
  ['Chidi', 'Okafor', '24/7 Locksmith'],
  ['Fatoumata', 'N’Diaye'],
  ['Zoë', 'Maas', '', '', '+61291234567'],
  ['Zoltan', 'Abel', 'Zoo Supplies'],
  ['Lou', 'Park', 'ZOË & Sons'],
  ['Kim', 'Zorn', 'A1 Plumbing'],
  ['Ezo', 'Zed'],
  ['Dr. Wei', 'Zhang-Smith', '1300 Drains', '', '+61730001234'],
];

/** Beginnings of the found names, in any order. */
const found: readonly (readonly [q: string, ...names: string[]])[] = [
  ['grace liu', 'Grace Liu'],
  ['liu g', 'Grace Liu', 'Liu Gang'],
  ['LIU GRACE', 'Grace Liu'],
  ['gra li', 'Grace Liu', 'Grace Lindqvist'],
  ['grace lu'],
  ['liu', 'Grace Liu', 'Liu Gang'],
  ['mary jane', 'Mary-Jane', 'Mary Janes'],
  ['mary-jane', 'Mary-Jane', 'Mary Janes'],
  ['jane mary', 'Mary-Jane', 'Mary Janes'],
  ['jane watson', 'Mary-Jane'],
  ['watson daugh', 'Mary-Jane'],
  ["o'conn", 'Siobhán'],
  ['o’conn', 'Siobhán'],
  ['oconn sio', 'Siobhán'],
  ['ann', 'Ann Lee', 'Anna Leeds', 'Anne-Sophie'],
  ['ann lee', 'Ann Lee', 'Anna Leeds'],
  ['ann@', 'Ann Lee'],
  ['ANN@EXAMPLE.COM', 'Ann Lee'],
  ['ann@ lee', 'Ann Lee'],
  ['ann@ liu'],
  ['grace.l', 'Grace Liu', 'Grace Lindqvist'],
  ['jose nunez', 'José'],
  ['núñez tej', 'José'],
  ['lukasz zolc', 'Łukasz'],
  ['dang', 'Đặng'],
  ['hoa dang thi', 'Đặng'],
  ['ΟΔΥΣ', 'Οδυσσέας'],
  ['παπαδ οδυς', 'Οδυσσέας'],
  ['soren', 'Søren'],
  ['isil caglar', 'Işıl'],
  ['ibrahim yildiz', 'İbrahim'],
  ['strasse muller', 'Straße'],
  ['thorsson', 'Björn'],
  ['aegis', 'Æsa'],
  ['小明', '小明'],
  ['小明 王', '小明'],
  ['さく', 'さくら'],
  ['민준', '민준'],
  ['иван пет', 'Иван'],
  ['محمد', 'محمد'],
  ['דוד', 'דוד'],
  ['अनिल', 'अनिल'],
  ['สมช', 'สมชาย'],
  ['nguyen an', 'Nguyễn'],
  ["d'art", 'Anne-Sophie'],
  ['dart anne', 'Anne-Sophie'],
  ['tour jean', 'Jean Luc'],
  ['berg roof', 'Van der'],
  ['hen tane', 'Tāne'],
  ['kaahu', 'Kalei'],
  ['24 lock', 'Chidi'],
  ['ndiaye', 'Fatoumata'],
  ['ZO', 'Zoë', 'Lou Park', 'Zoltan', 'Kim Zorn', 'Łukasz'],
  ['zoë &', 'Zoë', 'Lou Park'],
  ['zoo abel', 'Zoltan'],
  ['a1', 'Kim Zorn'],
  ['smith wei', 'Dr. Wei'],
  ['race'],
  ['0491 57', 'Grace Liu', 'Ann Lee'],
  ['+61 491 57', 'Grace Liu', 'Ann Lee'],
  ['0011 61 491 570 156', 'Grace Liu'],
  ['570 157', 'Ann Lee'],
  ['(02) 9123', 'Zoë'],
  ['4567', 'Siobhán', 'Zoë'],
  ['1300', 'Dr. Wei'],
  ['ann 0491', 'Ann Lee'],
  ['+353 86', 'Siobhán'],
  ['5678 jos', 'José'],
  ['9999'],
];

const leads = people.map(([firstName, lastName = '', businessName = '', email = '', phone = '']) => ({
  firstName,
  lastName,
  businessName,
  email,
  phone,
}));
const { results } = await ours.api.call('createLeads', { body: { leads } });
expect(results.map(({ status }) => status)).toEqual(people.map(() => 'ok'));

describe('of 40 people of many cultures', () => {
  test.each(found)('"%s" finds the right people', async (q, ...expected) => {
    const names = await namesOf(q);
    expect(names.map((name) => expected.find((one) => name.startsWith(one)) ?? name).sort()).toEqual(
      [...expected].sort(),
    );
  });

  test('they come in the order of the words that match, in pages', async () => {
    expect(await namesOf('zo')).toEqual([
      'Lou Park ZOË & Sons',
      'Zoë Maas',
      'Łukasz Żółć',
      'Zoltan Abel Zoo Supplies',
      'Kim Zorn A1 Plumbing',
    ]);
    const second = await search('zo', ours, { limit: 3, page: 2 });
    expect(second).toMatchObject({ totalPages: 2, currentPage: 2, totalCount: 5, hasMore: false });
    expect(second.leads.map(({ firstName }) => firstName)).toEqual(['Zoltan', 'Kim']);
    expect(second).not.toHaveProperty('nextAfter');
  });
});

test('a change is found at once, and nothing by the former name', async () => {
  const organization = await newOrganization();
  const { api } = organization;
  const ids = async (q: string) => (await search(q, organization)).leads.map(({ id }) => id);
  const body = { name: 'Renée Zàk', phone: '0491 570 110', businessName: 'Ever' };
  const { lead } = await api.call('createLead', { body });
  const params = { leadId: lead.id };
  expect(await ids('zak renee')).toEqual([lead.id]);
  await api.call('updateLead', { params, body: { lastName: 'Öz', phone: '' } });
  for (const q of ['zak', 'renee zak', '0110']) expect(await ids(q), q).toEqual([]);
  for (const q of ['oz', 'ever oz', 'renee oz']) expect(await ids(q), q).toEqual([lead.id]);
  await api.call('deleteLead', { params });
  for (const q of ['oz', 'renee', 'ever']) expect(await ids(q), q).toEqual([]);
});

test('a search costs what it must, and no more', async () => {
  const organization = await newOrganization();
  const { api } = organization;
  const create = (body: object) => api.answer('createLead', { body: { firstName: 'Al', ...body } });
  // Each word costs two write units once, and so does a phone number for its end.
  const { cost } = await create({});
  const more = async (body: object) => (await create(body)).cost.writeUnits - cost.writeUnits;
  expect([cost.writeUnits, await more({ lastName: 'Bo' })]).toEqual([12, 2]);
  expect(await more({ phone: '0491 570 156', businessName: 'Al and Sons' })).toBe(2 + 2 + 2 * 2);
  const costOf = async (q: string) => {
    const { calls, readUnits } = (await api.answer('listLeads', { query: { q } })).cost;
    return { calls, readUnits };
  };
  // Two queries of the values, and the leads.
  expect(await costOf('bo al')).toEqual({ calls: 3, readUnits: 3 });
  expect(await costOf('bo')).toEqual({ calls: 3, readUnits: 3 });
  expect(await costOf('+61491')).toEqual({ calls: 4, readUnits: 4 });
  expect(await costOf('zz')).toEqual({ calls: 2, readUnits: 2 });
});
