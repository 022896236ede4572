import { beforeAll, describe, expect, test } from 'vitest';
import { createInquiryEndpoint, listInquiriesEndpoint } from '../../shared/contract/inquiries.ts';
import { deleteLeadEndpoint, listLeadsEndpoint } from '../../shared/contract/leads.ts';
import { events } from '../../shared/ledger/internal/collection.ts';
import { postInquiry, newEmail } from '../support/inquiries.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';

let world: World;
let ours: TestOrganization;
beforeAll(async () => {
  world = await setup();
  ({ ours } = world);
});

const arrive = (body: object, { api } = ours) => postInquiry(api, body);

/** Number of events of the organization. */
const eventCount = async () =>
  (await ours.openLedger().ledger.page(events, { page: 1, limit: 1 })).totalCount;

describe('an externalInquiryId', () => {
  test('sent again answers 200 with the stored inquiry, whatever the other fields are, and stores nothing', async () => {
    const externalInquiryId = 'Provider/1 #ä';
    const first = await arrive({
      source: 'SMS',
      data: { messages: [{ text: 'Hi' }] },
      externalInquiryId,
      lead: { name: 'Gil' },
    });
    const stored = await eventCount();
    for (const body of [
      { source: 'SMS', data: {}, externalInquiryId, lead: { name: 'Gil' } },
      {
        source: 'EMAIL',
        data: { body: 'Other' },
        externalInquiryId: ` ${externalInquiryId}`,
        lead: { email: newEmail() },
      },
      { source: 'CALL', data: {}, externalInquiryId, leadId: 'nonsense', isRead: true, tag: 'x' },
    ]) {
      const answer = await ours.api.answer(createInquiryEndpoint, { body });
      expect(answer).toMatchObject({ status: 200, body: first });
      expect(answer.body.inquiry).toEqual(first.inquiry);
    }
    expect(await eventCount()).toBe(stored);
    const query = { leadId: first.lead!.id, expand: 'external' };
    const { inquiries } = await ours.api.call(listInquiriesEndpoint, { query });
    expect(inquiries.map((item) => item.externalInquiryId)).toEqual([externalInquiryId]);

    await ours.api.call(deleteLeadEndpoint, { params: { leadId: first.lead!.id } });
    expect(await arrive({ externalInquiryId, leadId: 'gone' })).toEqual({
      inquiry: first.inquiry,
      lead: null,
    });
  });

  test('differs by case, and by organization', async () => {
    const ids = [];
    for (const externalInquiryId of ['case-A', 'case-a', 'CASE-A', null, undefined]) {
      ids.push((await arrive({ externalInquiryId, lead: { phone: 'anonymous' } })).inquiry.id);
    }
    ids.push((await arrive({ externalInquiryId: 'case-A', lead: { name: 'T' } }, world.theirs)).inquiry.id);
    expect(new Set(ids).size).toBe(6);
  });
});

describe('many at once', () => {
  test('of one unknown caller make one lead', async () => {
    const { ours: fresh } = await setup();
    const lead = { phone: '+61491570156', email: 'one@example.com' };
    const answers = await Promise.all(
      [
        { phone: lead.phone },
        { email: lead.email, phone: '0491 570 156' },
        lead,
        { phone: '0491570156' },
      ].map((from) =>
        fresh.api.attempt(createInquiryEndpoint, { body: { source: 'CALL', data: {}, lead: from } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { leads, totalCount } = await fresh.api.call(listLeadsEndpoint);
    expect(totalCount).toBe(1);
    expect(leads[0]).toMatchObject({ ...lead, unreadCalls: 4 });
    const list = await fresh.api.call(listInquiriesEndpoint);
    expect(list.inquiries.map(({ isFirstInquiry }) => isFirstInquiry)).toEqual([false, false, false, true]);
  });

  test('with one externalInquiryId: one is stored, and the others answer with it', async () => {
    const body = {
      source: 'EMAIL',
      data: {},
      externalInquiryId: 'mail-at-once',
      lead: { email: newEmail() },
    };
    const answers = await Promise.all([1, 2, 3].map(() => ours.api.attempt(createInquiryEndpoint, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
  });
});

describe('a token that may only create inquiries', () => {
  test('gets only ids, of new and of stored inquiries', async () => {
    const api = await ours.apiFor('inquiries:create');
    const body = { source: 'CALL', data: {}, externalInquiryId: 'narrow-1', lead: { email: newEmail() } };
    for (const status of [201, 200]) {
      const answer = await api.answer(createInquiryEndpoint, { body });
      expect(answer).toMatchObject({ status });
      expect(answer.body).toEqual({
        inquiry: { id: expect.stringMatching(/^inquiry_/) as unknown },
        lead: { id: expect.stringMatching(/^lead_/) as unknown },
      });
    }
  });

  test('and read them sees no leads, not in a list either', async () => {
    const api = await ours.apiFor('inquiries:create', 'inquiries:read');
    const { inquiry, lead } = await arrive({ lead: { name: 'Hal' } }, { ...ours, api });
    expect(lead).toEqual({ id: inquiry.leadId });
    const { inquiries } = await api.call(listInquiriesEndpoint, { query: { expand: 'lead', limit: 1 } });
    expect(inquiries).toMatchObject([{ id: inquiry.id }]);
    expect(inquiries[0]!.lead).toEqual({ id: inquiry.leadId });
    await ours.api.call(deleteLeadEndpoint, { params: { leadId: inquiry.leadId } });
    const after = await api.call(listInquiriesEndpoint, { query: { expand: 'both', limit: 1 } });
    expect(after.inquiries[0]!.lead).toBeNull();
  });
});
