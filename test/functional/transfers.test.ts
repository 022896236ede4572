import { describe, expect, test } from 'vitest';
import type { Transfer } from '../../shared/contract/transfers.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { transfers } from '../../shared/domain/transfers/transfers.ts';
import { newTransfer } from '../support/filled-records.ts';
import { newOrganization, twoOrganizations } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

/* `numbered-records.test.ts` has what transfer rules share with other kinds of records. */

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

let label = 0;
const bodyOf = (body: object) => ({ ...newTransfer, label: `Rule ${++label}`, ...body });
const create = async (body: object): Promise<Transfer> =>
  (await api.call('createTransfer', { body: bodyOf(body) })).transfer;
const update = async (transferId: number, body: object) =>
  (await api.call('updateTransfer', { params: { transferId }, body })).transfer;

test('settings are merged', async () => {
  const { id } = await create({ settings: { ignore_business_hours: true } });
  const settings = async (given?: object) => (await update(id, { settings: given })).settings;
  for (const given of [undefined, {}]) expect(await settings(given)).toEqual({ ignore_business_hours: true });
  for (const given of [{ ignore_business_hours: false }, {}])
    expect(await settings(given)).toEqual({ ignore_business_hours: false });
  expect((await create({ settings: {} })).settings).toEqual({ ignore_business_hours: false });
});

test('a scenario is linked, exchanged and unlinked', async () => {
  const { ledger } = ours.openLedger();
  const scenarioOf = async (name: string) =>
    (await createService(ledger, { name, tradeCategoryId: 1 })).scenario.id;
  const [one, other] = [await scenarioOf('Burst pipe'), await scenarioOf('Blocked drain')];
  const { id, scenarioId } = await create({ scenarioId: one });
  expect(scenarioId).toBe(one);
  for (const [body, scenarioId] of [
    [{ scenarioId: other }, other],
    [{ isEnabled: false }, other],
    [{ scenarioId: null }, null],
    [{}, null],
  ] as const)
    expect(await update(id, body)).toMatchObject({ scenarioId });
});

describe('the destination of a transfer rule', () => {
  const noMember = 'destination names no member of the organization';
  const noNumber = `destination ${notPhone}`;

  test('must be a valid phone number or an existing member', async () => {
    const phone = await create({ destinationType: 'PHONE_NUMBER', destination: '(02) 5550 1234' });
    expect(phone.destination).toBe('+61255501234');
    expect((await create({ destinationType: 'MEMBER', destination: '1' })).destination).toBe('1');
    const refused = (changes: object, problem: string) =>
      api.refuses('createTransfer', { body: bodyOf(changes) }, problem);
    await refused({ destinationType: 'PHONE_NUMBER', destination: 'Office' }, noNumber);
    for (const destination of ['2', '01', '0', 'Mia', ours.userId, theirs.userId])
      await refused({ destinationType: 'MEMBER', destination }, noMember);
  });

  test('is checked with its type when either changes', async () => {
    const { id } = await create({});
    const refused = (transferId: number, body: object, problem: string) =>
      api.refuses('updateTransfer', { params: { transferId }, body }, problem);
    await refused(id, { destinationType: 'PHONE_NUMBER' }, noNumber);
    await refused(id, { destinationType: 'MEMBER' }, noMember);
    const both = await update(id, { destinationType: 'PHONE_NUMBER', destination: '0491 570 156' });
    expect(both.destination).toBe('+61491570156');
    await refused(id, { destination: '12345' }, noNumber);

    const named = await create({ destination: '1' });
    expect(await update(named.id, { destinationType: 'MEMBER' })).toMatchObject({
      destinationType: 'MEMBER',
    });
    await refused(named.id, { destination: '2' }, noMember);
    await update(named.id, { destination: '1', isEnabled: false });
  });

  test('that would be refused in a new rule stays in a stored one until it is changed', async () => {
    // Stored without the checks of the API.
    const { id: number } = await create({});
    const ref = { collection: transfers, number };
    await ours.openLedger().ledger.write({ change: { transfer: ref } }, (write, { transfer }) => {
      write.replace(ref, { ...transfer, destinationType: 'PHONE_NUMBER', destination: '12345' });
      write.event({ event: 'TEST', data: 'A record was changed', referenceId: String(number) });
    });
    const read = await update(number, { isEnabled: false });
    expect(read).toMatchObject({ isEnabled: false, destination: '12345' });
    const whole = await update(number, { ...read, name: 'Older' });
    expect(whole).toMatchObject({ name: 'Older', destination: '12345' });
    const parts = { params: { transferId: number }, body: { destination: '123456' } };
    await api.refuses('updateTransfer', parts, noNumber);
    expect((await update(number, { destination: '1300 123 456' })).destination).toBe('+611300123456');
  });
});

describe('the route of a call', () => {
  /** Monday at 9 in Brisbane, when it is open, and at 18:00. */
  const [open, closed] = ['2026-12-07T09:00:00+10:00', '2026-12-07T18:00:00+10:00'];
  const workday = [{ from: '08:00', to: '12:00' }];

  const routed = (async () => {
    const of = await newOrganization();
    const { ledger } = of.openLedger();
    const join = (firstName: string, phone = '') =>
      createMember(ledger, { firstName, lastName: 'Tran', email: `${firstName}@example.com`, phone });
    const [mia, tom, zoe] = [
      await join('Mia', '+61491570110'),
      await join('Tom'),
      await join('Zoe', '+61491570156'),
    ];
    const days = { monday: workday, tuesday: workday };
    const body = { timeZone: 'Australia/Brisbane', openingHours: days };
    await of.api.call('updateOrganization', { body });
    const schedule = (memberId: number, days: object) =>
      of.api.call('updateMemberSchedule', {
        params: { memberId },
        body: { workingHours: days },
      });
    await schedule(mia.id, { monday: [{ from: '09:00', to: '20:00' }] });
    await schedule(tom.id, { sunday: workday });
    for (const given of [
      { label: 'Burst pipes', destination: 'Emergencies', settings: { ignore_business_hours: true } },
      { label: 'Invoices', destinationType: 'PHONE_NUMBER', destination: '(02) 5550 1234' },
      { label: 'Rust', destinationType: 'MEMBER', destination: String(mia.id) },
      { label: 'Mould', destinationType: 'MEMBER', destination: String(tom.id) },
      { label: 'Moss', destinationType: 'MEMBER', destination: String(zoe.id) },
    ])
      await of.api.call('createTransfer', { body: { ...newTransfer, ...given } });
    const leaving = { params: { memberId: zoe.id }, body: { isDisabled: true } };
    await of.api.call('updateMember', leaving);
    const ruleOf = async (transferId: number) => {
      const { transfer } = await of.api.call('getTransfer', { params: { transferId } });
      const { label, conditions, method, destinationType, destination } = transfer;
      return { label, conditions, method, destinationType, destination };
    };
    return { of, ruleOf };
  })();

  test.each([
    [
      ...(['a burst pipe', open] as const),
      'I cannot put you through to Emergencies. I can take a message.',
      { number: '', isReachable: true },
    ],
    ['a burst pipe, and its invoice', open, 'I can put you through now.', { number: '+61255501234' }],
    ['rust', open, 'I can put you through to Mia Tran now.', { number: '+61491570110' }],
    [
      ...(['the invoice', closed] as const),
      'Nobody can be reached until Tuesday the 8th of December at 8 in the morning. I can take a message.',
      { number: '+61255501234', isReachable: false, reachableFrom: '2026-12-07T22:00:00.000Z' },
    ],
    ['', open, 'I can put you through now.', { label: 'Invoices' }],
    [
      ...(['rust', closed] as const),
      'Mia Tran cannot be reached until Monday the 14th of December at 9 in the morning. I can take a message.',
      { destinationName: 'Mia Tran', reachableFrom: '2026-12-13T23:00:00.000Z' },
    ],
    ['mould', open, 'I cannot put you through to Tom Tran. I can take a message.', { reachableFrom: null }],
    ['rhubarb', open, 'There is nobody to put you through to. I can take a message.', null],
  ])('about %j at %s', async (topic, at, say, route) => {
    const { of, ruleOf } = await routed;
    const found = await of.api.call('getRoute', { query: { topic, at } });
    expect(found).toMatchObject({ say, route });
    if (found.route) expect(found.route).toMatchObject(await ruleOf(found.route.transferId));
  });

  test('is that of now without a time', async () => {
    const { route } = await (await routed).of.api.call('getRoute', { query: { topic: 'pipes' } });
    expect(route?.isReachable).toBe(true);
  });

  test('has no number where the rule leads to a department, or to a member without a phone: the list says so', async () => {
    const { of } = await routed;
    const list = async (query: Record<string, number>) => {
      const { transfers: rules, leadNowhere } = await of.api.call('listTransfers', { query });
      return rules.filter(({ id }) => leadNowhere.includes(id)).map((rule) => rule.label);
    };
    expect(await list({})).toEqual(['Moss', 'Mould', 'Burst pipes']);
    expect(await list({ limit: 1 })).toEqual(['Moss']);
  });
});
