import { beforeAll, describe, expect, test } from 'vitest';
import { createInquiryEndpoint, inquirySources } from '../../shared/contract/inquiries.ts';
import { postInquiry, newEmail } from '../support/inquiries.ts';
import { setup, type TestOrganization } from '../support/world.ts';

let ours: TestOrganization;
beforeAll(async () => {
  ({ ours } = await setup());
});

const arrive = (body: object, { api } = ours) => postInquiry(api, body);
const withoutIds = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data, (name, value: unknown) => (name === 'id' ? undefined : value)));

describe('a body', () => {
  const call = { source: 'CALL', data: {}, lead: { name: 'Ann' } };
  const together = 'must be given where there is no leadId, and only there';
  test.each<[string, object, string, string]>([
    ['no source', { ...call, source: undefined }, 'source', 'is required'],
    [
      'another source',
      { ...call, source: 'FAX' },
      'source',
      'must be one of CALL, EMAIL, CHATBOT, SMS, WEBFORM',
    ],
    ['no data', { ...call, data: undefined }, 'data', 'is required'],
    ['data of another source', { ...call, data: { subject: 'x' } }, 'data.subject', 'is not a known field'],
    [
      'a misspelt turn',
      { ...call, data: { transcripts: [{ txt: 'x' }] } },
      'data.transcripts.0.txt',
      'is not a known field',
    ],
    ['no lead', { ...call, lead: undefined }, 'lead', together],
    ['two leads', { ...call, leadId: 'x' }, 'lead', together],
    ['nobody', { ...call, lead: {} }, 'lead', 'must have a name, an email or a phone'],
    [
      'empty texts',
      { ...call, lead: { name: '', phone: ' ' } },
      'lead',
      'must have a name, an email or a phone',
    ],
    ['no email address', { ...call, lead: { email: 'ann' } }, 'lead.email', 'must be an email address'],
    ['a number', { ...call, lead: { phone: 1234567 } }, 'lead.phone', 'must be a string'],
    ['an empty id', { ...call, externalInquiryId: ' ' }, 'externalInquiryId', 'must not be empty'],
    [
      'a long id',
      { ...call, externalInquiryId: 'x'.repeat(201) },
      'externalInquiryId',
      'must be at most 200 long',
    ],
    ['a flag', { ...call, isFlagged: true }, 'isFlagged', 'is not a known field'],
    [
      'no time',
      { ...call, data: { startedAt: 'yesterday' } },
      'data.startedAt',
      'must be a time such as 2026-11-02T13:06:02Z',
    ],
    [
      'a day too many',
      { ...call, data: { endedAt: '2026-02-30T00:00:00Z' } },
      'data.endedAt',
      'must be a time such as 2026-11-02T13:06:02Z',
    ],
    [
      'no offset',
      { ...call, data: { endedAt: '2026-02-20T00:00:00' } },
      'data.endedAt',
      'must be a time such as 2026-11-02T13:06:02Z',
    ],
    [
      'a year too many',
      { ...call, data: { endedAt: '9999-12-31T23:59:59-01:00' } },
      'data.endedAt',
      'must be a time such as 2026-11-02T13:06:02Z',
    ],
    [
      'too many SMS',
      { ...call, source: 'SMS', data: { messages: Array(51).fill({ text: 'x' }) } },
      'data.messages',
      'must be at most 50 long',
    ],
    [
      'a field of a form without a name',
      { ...call, source: 'WEBFORM', data: { fields: { '': 'x' } } },
      'data.fields.',
      'is a field without a name',
    ],
    [
      'too many turns',
      { ...call, source: 'CHATBOT', data: { messages: Array(1001).fill({}) } },
      'data.messages',
      'must be at most 1000 long',
    ],
  ])('with %s is 400 and names the field', async (_, body, field, message) => {
    const { details } = await ours.api.failure(createInquiryEndpoint, 400, { body });
    expect(details).toEqual([{ field, message }]);
  });

  test('can be an inquiry as it was read, without its read-only fields', async () => {
    const { inquiry } = await arrive({ lead: { phone: 'anonymous' } });
    const { isFlagged, data, ...rest } = inquiry;
    const again = await arrive({ ...rest, data: {}, givenPhone: 'ignored' });
    expect(again.inquiry).toMatchObject({ leadId: inquiry.leadId, givenPhone: '', isFirstInquiry: false });
  });

  test.each(inquirySources)('can have the data of a %s as it was read', async (source) => {
    const data = { CALL: { transcripts: [{}] }, CHATBOT: { messages: [{}] }, SMS: { messages: [{}] } };
    const given = { source, lead: { email: newEmail() }, data: { ...data, EMAIL: {}, WEBFORM: {} }[source] };
    const { inquiry } = await arrive(given);
    const again = await arrive({ ...given, data: inquiry.data });
    expect(withoutIds(again.inquiry.data)).toEqual(withoutIds(inquiry.data));
    expect(again.inquiry.data.id).not.toBe(inquiry.data.id);
  });
});
