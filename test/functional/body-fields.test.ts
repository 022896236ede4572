import { describe, expect, inject, test } from 'vitest';
import { createAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { createInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { createLeadsEndpoint } from '../../shared/contract/lead-batch.ts';
import { createLeadEndpoint, listLeadsEndpoint, updateLeadEndpoint } from '../../shared/contract/leads.ts';
import { fill } from '../support/filled-records.ts';
import { twoOrganizations } from '../support/test-organization.ts';

/* Sentences about a body. Rows that people have reported are marked. */

type Fields = Record<string, unknown>;

const { ours } = await twoOrganizations();
const records = await fill(ours);
const { api } = ours;
const { leadId } = records;

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
    const { message, details } = await api.failure(createLeadEndpoint, 400, { body });
    expect(message).toBe(sentence);
    expect(`${details![0]!.field} ${details![0]!.message}`).toBe(sentence);
  });

  test('names what was sent in every form of a request', async () => {
    // reported
    const wrapped = { params: { leadId }, body: { lead: { firstName: 'Ann' } } };
    await api.refuses(updateLeadEndpoint, wrapped, `lead ${wrapper}`);
    // made up
    const query = { external_id: 'x' };
    await api.refuses(
      listLeadsEndpoint,
      { query },
      'external_id is not a known query parameter; did you mean externalId?',
    );
    const inquiry = { Source: 'CALL', data: {}, lead: { name: 'Ann' } };
    expect(await api.failure(createInquiryEndpoint, 400, { body: inquiry })).toMatchObject({
      message: `Source ${meant('source')}`,
    });
    const { results } = await api.call(createLeadsEndpoint, { body: { leads: [{ first_name: 'Ann' }] } });
    expect(results).toMatchObject([
      { message: `first_name ${meant('firstName')} firstName is required where there is no name` },
    ]);
  });

  const times = '2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00';
  const noZone = `start has no zone; send a time such as ${times}`;
  const noTime = `start must be a time with its zone, such as ${times}`;
  test.each<[start: unknown, sentence: string]>([
    // reported
    ['07/12/2026 9:00 am', noTime],
    ['2026-12-07T09:00:00', noZone],
    [1_796_634_000, 'start must be a string such as "2026-11-02T13:06:00Z"'],
    // made up
    ['2026-12-07T09:00', noZone],
    ['2026-12-07 09:00:00.000', noZone],
    ['2026-12-07', noTime],
    ['1796634000', noTime],
    ['tomorrow at nine', noTime],
    [null, 'start is required'],
  ])('of an appointment at %j says how to send a time', async (start, sentence) => {
    await api.refuses(
      createAppointmentEndpoint,
      { body: { title: 'T', end: times.slice(0, 20), start } },
      sentence,
    );
  });

  test('has times that are accepted', async () => {
    for (const start of [...times.split(' or '), '2026-11-02T13:06Z'])
      await api.call(createAppointmentEndpoint, { body: { title: 'T', start, end: '2026-11-02T14:00:00Z' } });
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
