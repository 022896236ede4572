import { describe, expect, inject, test } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import { noHours } from '../../shared/contract/opening-hours.ts';
import { firstOutcome } from '../../shared/contract/scenarios.ts';
import { findContracts } from '../../infra/functions.ts';
import { recordIn } from '../../shared/http/id-alone.ts';
import type { Called } from '../support/api-client.ts';
import { fill } from '../support/filled-records.ts';
import { testedOperation } from '../support/operations.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

/* Fields of a body that are null, unknown, or not to be changed. Rows that people have reported are marked. */

type Fields = Record<string, unknown>;

const { operations } = await findContracts();
const ours = await verifiedOrganization();
const records = await fill(ours);
const { api } = ours;
const { leadId, serviceId, scenarioId, productId } = records;
const { inquiryIds, ...ids } = records;
const inquiryId = inquiryIds.EMAIL;
/** Ids for every path. */
const params = { ...ids, inquiryId };

/** Sends a body that must be accepted. Returns the record of the answer. */
async function change(called: Called, body: Fields) {
  const { endpoint } = operations.find(({ operationId }) => operationId === called)!;
  return recordIn(await api.call(called, { params, body }), endpoint.record?.in) as Fields;
}

describe('null', () => {
  const hours = { monday: [{ from: '08:00', to: '12:00' }] };
  test.each<[Called, given: Fields, cleared: Fields]>([
    // reported: email
    [
      'updateLead',
      { lastName: 'Lee', email: 'n@example.com', phone: '0491 570 110', businessName: 'B', externalId: 'x' },
      { lastName: '', email: '', phone: '', businessName: '', externalId: '' },
    ],
    [
      'updateLead',
      { socials: { x: 'y' }, address: { line1: '1', suburb: 'Glebe' } },
      { socials: {}, address: noAddress },
    ],
    [
      'updateCompany',
      { phone: '0491 570 110', email: 'n@example.com', website: 'a.example', address: '1 Bay Street' },
      { phone: '', email: '', website: '', address: '' },
    ],
    [
      'updateService',
      { description: 'D', followUpQuestions: ['Where?'], customPriceResponse: 'Cheap' },
      { description: '', followUpQuestions: [], customPriceResponse: null },
    ],
    [
      'updateProduct',
      { description: 'D', faqs: [{ question: 'Q', answer: 'A' }] },
      { description: '', faqs: [] },
    ],
    [
      'updateTransfer',
      {
        label: 'Pipes',
        name: 'N',
        summaryFormat: 'About {topic}',
        scenarioId,
      },
      { name: 'Pipes', summaryFormat: '', scenarioId: null },
    ],
    [
      'updateScenario',
      { prompt: 'P', questions: [{ question: 'Q' }], outcome: { type: 'sendSms', property1: 'x' } },
      { prompt: '', questions: [], outcome: firstOutcome },
    ],
    [
      'updateOrganization',
      { website: 'a.example', socials: { x: 'y' }, openingHours: hours, areasServed: ['Glebe'] },
      { website: '', socials: {}, openingHours: noHours, areasServed: [] },
    ],
    [
      'updateMemberSchedule',
      { workingHours: hours, daysOff: [{ from: '2026-12-25' }], serviceIds: [serviceId] },
      { workingHours: noHours, daysOff: [], serviceIds: [] },
    ],
    ['updateWebhook', { types: ['lead.*'], description: 'D' }, { types: ['*'], description: '' }],
    ['updateInquiry', { tag: 'T', summary: 'S' }, { tag: '', summary: '' }],
    [
      'updateAppointment',
      { notes: 'N', attendees: [records.userId], tradeServiceId: serviceId, address: { line1: '1' } },
      { notes: '', attendees: [], tradeServiceId: null, address: noAddress },
    ],
  ])('is taken by %s to clear fields', async (operation, given, cleared) => {
    expect(await change(operation, given)).not.toMatchObject(cleared);
    const nulls = Object.fromEntries(Object.keys(cleared).map((name) => [name, null]));
    expect(await change(operation, nulls)).toMatchObject(cleared);
  });

  test('clears a part of an address', async () => {
    await change('updateLead', { address: { line1: '1 Bay Street', state: 'NSW' } });
    const { address } = await change('updateLead', { address: { line1: null } });
    expect(address).toMatchObject({ line1: '', state: 'NSW' });
  });

  test('of a name counts as left out beside the other names', async () => {
    const body = { name: null, firstName: 'Bo', lastName: 'Berg' };
    expect(await change('updateLead', body)).toMatchObject({ firstName: 'Bo' });
    const whole = { name: 'Cy Dahl', firstName: null, lastName: null };
    expect(await change('updateLead', whole)).toMatchObject({ lastName: 'Dahl' });
  });

  test.each<[Called, Fields, problem: string]>([
    ['updateLead', { name: null }, 'name must not be empty'],
    ['updateLead', { firstName: null }, 'firstName must not be empty'],
    ['updateLead', { status: null }, 'status cannot be null; leave it out'],
    ['createLead', { name: 'Ann', status: null }, 'status cannot be null; leave it out'],
    ['updateProduct', { name: null }, 'name must not be empty'],
    ['updateTransfer', { settings: null }, 'settings cannot be null; leave it out'],
    [
      'updateTransfer',
      { settings: { ignore_business_hours: null } },
      'settings.ignore_business_hours cannot be null; leave it out',
    ],
  ])('is refused by %s: %j', async (operation, body, problem) => {
    await api.refuses(operation, { params, body }, problem);
  });

  test('in a batch follows the same rules', async () => {
    await change('updateProduct', { description: 'D' });
    const updates = [
      { id: productId, description: null },
      { id: productId, pricing: null },
    ];
    const { results } = await api.call('updateProducts', { body: { updates } });
    expect(results).toMatchObject([
      { product: { description: '' } },
      { message: 'pricing cannot be null; leave it out' },
    ]);
  });
});

describe('a field that never changes', () => {
  const fixed = ['id', 'createdAt', 'leadId', 'source', 'tradeServiceId', 'companyId', 'userId'];
  const changes = operations.filter(
    ({ endpoint: { method, readOnly } }) => method !== 'POST' && readOnly !== undefined,
  );

  test('is in most changes', () => {
    expect(changes.length).toBeGreaterThan(12);
  });

  test.each(changes)('of $operationId may be sent back, and has no other value', async (operation) => {
    const { endpoint } = operation;
    const request = testedOperation(operation.operationId).request(records, 1);
    const send = (more: Fields) => ({ ...request, body: { ...request.body, ...more } });
    const present = recordIn(await api.call(endpoint, request), endpoint.record?.in) as Fields;
    const sent = endpoint.readOnly!.flatMap((name) =>
      name in present ? [[name, present[name]] as const] : [],
    );
    const inOtherWords = { createdAt: String(present['createdAt']).replace(/\.\d+Z$/, '+00:00') };
    await api.call(
      endpoint,
      send({ ...Object.fromEntries(sent), ...('createdAt' in present && inOtherWords) }),
    );
    for (const [name, value] of sent)
      for (const other of [null, typeof value === 'number' ? value + 1 : `${String(value)}0`])
        if (fixed.includes(name) && other !== value)
          await api.refuses(endpoint, send({ [name]: other }), `${name} never changes; leave it out`);
        else await api.call(endpoint, send({ [name]: other }));
  });

  test('and that only a list shows is compared, too', async () => {
    const params = { inquiryId };
    const { body } = await api.send('GET', '/v1/inquiries?expand=both&limit=100');
    const { inquiries } = body as { inquiries: Fields[] };
    const item = inquiries.find(({ id }) => id === inquiryId)!;
    expect(item).toMatchObject({ externalInquiryId: 'mail-1' });
    await api.call('updateInquiry', { params, body: item });
    for (const name of ['sourceId', 'externalInquiryId'])
      await api.refuses(
        'updateInquiry',
        { params, body: { [name]: 'x' } },
        `${name} never changes; leave it out`,
      );
    const updates = [{ id: productId, createdAt: '2020-01-01T00:00:00.000Z' }];
    const { results } = await api.call('updateProducts', { body: { updates } });
    expect(results).toMatchObject([{ message: 'createdAt never changes; leave it out' }]);
  });
});

describe('the first sentence of a 400', () => {
  const unknown = 'is not a known field';
  const wrapper = `${unknown}; send its fields without this wrapper`;
  const meant = (name: string) => `${unknown}; did you mean ${name}?`;

  test.each<[Fields, sentence: string]>([
    // reported
    [{ first_name: 'Ann' }, `first_name ${meant('firstName')}`],
    [{ FirstName: 'Ann' }, `FirstName ${meant('firstName')}`],
    [{ lead: { firstName: 'Ann' } }, `lead ${wrapper}`],
    [{ lead: {} }, `lead ${wrapper}`],
    [
      { lastName: 'Lee' },
      'firstName is required where there is no name; if there is only one name, send it as name',
    ],
    // made up
    [{ 'first-name': 'Ann', lastName: 7 }, `first-name ${meant('firstName')}`],
    [{ FIRSTNAME: 'Ann' }, `FIRSTNAME ${meant('firstName')}`],
    [{ nmae: 'Ann' }, `nmae ${meant('name')}`],
    [{ full_name: 'Ann Lee' }, `full_name ${meant('name')}`],
    [{ name: 'Ann', emailAddress: 'a@example.com' }, `emailAddress ${meant('email')}`],
    [{ name: 'Ann', 'Phone Number': '1' }, `Phone Number ${meant('phone')}`],
    [{ name: 'Ann', business: 'B' }, `business ${meant('businessName')}`],
    [{ name: 'Ann', address: { post_code: '2000' } }, `address.post_code ${meant('address.postcode')}`],
    [{ contact: { first_name: 'Ann' } }, `contact ${wrapper}`],
    [{ name: 'Ann', contact: { email: 'a@example.com' } }, `contact ${unknown}`],
    [{ name: 'Ann', colour: 'red' }, `colour ${unknown}`],
    [{ name: 'Ann', ['firstName'.repeat(20)]: 'x' }, `${'firstName'.repeat(12).slice(0, 100)} ${unknown}`],
  ])('of %j names what was sent', async (body, sentence) => {
    const { message, details } = await api.failure('createLead', 400, { body });
    expect(message).toBe(sentence);
    expect(`${details![0]!.field} ${details![0]!.message}`).toBe(sentence);
  });

  test('names what was sent in every form of a request', async () => {
    // reported
    const wrapped = { params: { leadId }, body: { lead: { firstName: 'Ann' } } };
    await api.refuses('updateLead', wrapped, `lead ${wrapper}`);
    // made up
    const query = { external_id: 'x' };
    await api.refuses(
      'listLeads',
      { query },
      'external_id is not a known query parameter; did you mean externalId?',
    );
    const inquiry = { Source: 'CALL', data: {}, lead: { name: 'Ann' } };
    expect(await api.failure('createInquiry', 400, { body: inquiry })).toMatchObject({
      message: `Source ${meant('source')}`,
    });
    const { results } = await api.call('createLeads', { body: { leads: [{ first_name: 'Ann' }] } });
    expect(results).toMatchObject([
      { message: `first_name ${meant('firstName')} firstName is required where there is no name` },
    ]);
  });

  const times = '2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00';
  const noZone = (time: string) =>
    `start has no zone; the time zone of the organization is Australia/Sydney, so send 2026-${time}`;
  const noTime = `start must be a time with its zone, such as ${times}`;
  test.each<[start: unknown, sentence: string]>([
    // reported
    ['07/12/2026 9:00 am', noTime],
    ['2026-12-07T09:00:00', noZone('12-07T09:00+11:00')],
    [1_796_634_000, 'start must be a string such as "2026-11-02T13:06:00Z"'],
    // made up
    ['2026-06-07T09:00', noZone('06-07T09:00+10:00')],
    ['2026-12-07 09:00:00.000', noZone('12-07T09:00+11:00')],
    ['2026-02-30T09:00', `start has no zone; send a time such as ${times}`],
    ['2026-12-07', noTime],
    ['1796634000', noTime],
    ['tomorrow at nine', noTime],
    [null, 'start is required'],
  ])('of an appointment at %j says how to send a time', async (start, sentence) => {
    await api.refuses(
      'createAppointment',
      { body: { title: 'T', end: times.slice(0, 20), start } },
      sentence,
    );
  });

  test('has times that are accepted', async () => {
    for (const start of [...times.split(' or '), '2026-11-02T13:06Z'])
      await api.call('createInquiry', {
        body: { source: 'CALL', data: { startedAt: start }, lead: { name: 'Ann' } },
      });
  });

  test.each([
    ['UTF-16 with its mark', Buffer.from('\uFEFF{"name":"Ann"}', 'utf16le')], // reported
    ['UTF-16 without its mark', Buffer.from('{"name":"Ann"}', 'utf16le')], // made up
    ['UTF-16 in the other order', Buffer.from('\uFEFF{"name":"Ann"}', 'utf16le').swap16()], // made up
  ])('of a body in %s names the encoding', async (_, body) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${ours.token}` };
    const response = await fetch(`${inject('baseUrl')}/v1/leads`, { method: 'POST', headers, body });
    const message = 'The body looks like UTF-16; send it as UTF-8';
    expect(await response.json()).toMatchObject({ error: { status: 400, message } });
  });
});
