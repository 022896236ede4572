import { describe, expect, test } from 'vitest';
import type { Inquiry } from '../../shared/contract/inquiries.ts';
import { events } from '../../shared/ledger/internal/collection.ts';
import { inquiryRequests, newLead } from '../support/inquiries.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();

const { arrive, change, readInquiry, leadNow, listed } = inquiryRequests(ours);
const happened = async (of = ours) =>
  (await of.openLedger().ledger.page(events, { page: 1, limit: 2 })).items.map(({ event }) => event);

const counts = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
} as const;

describe('a change of an inquiry', () => {
  test('answers like a read, with a new time, and adds one event', async () => {
    const before = await arrive({ lead: { name: 'Ann' }, tag: 'Old', summary: 'Old' });
    const given = { isRead: true, isFlagged: true, tag: ' New ', summary: 'New\nlines' };
    const after = await change(before, given);
    expect(after).toEqual({ ...before, ...given, tag: 'New', updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await readInquiry(before)).toEqual(after);
    expect(await happened()).toEqual(['INQUIRY_UPDATED', 'INQUIRY_CREATED']);
    // The change is no activity of the lead.
    const params = { leadId: before.leadId };
    expect((await ours.api.call('listLeadActivities', { params })).totalCount).toBe(2);
  });

  test('that changes nothing stores nothing', async () => {
    const before = await arrive({ lead: { name: 'Ann' }, tag: 'Old' });
    const lead = await leadNow(before.leadId);
    const told = await happened();
    const { inquiries } = await ours.api.call('listInquiries', {
      query: { tag: 'Old', expand: 'both' },
    });
    const item = { ...inquiries[0]!, lead: null };
    for (const body of [{}, { isRead: false }, { tag: 'Old', summary: '', isFlagged: false }, before, item]) {
      expect(await change(before, body)).toEqual(before);
    }
    expect(await happened()).toEqual(told);
    expect(await leadNow(before.leadId)).toEqual(lead);
  });
});

describe('the lead', () => {
  test.each(['CALL', 'SMS'] as const)(
    'counts its unread and flagged %s inquiries exactly, in any order',
    async (source) => {
      const lead = await newLead(ours);
      const sent = { source, data: {}, leadId: lead.id };
      const [one, two] = [await arrive(sent), await arrive({ ...sent, isRead: true })];
      const expectNow = async (unread: number, hasFlaggedInquiry: boolean, updatedAt: string) => {
        const zero = Object.fromEntries(Object.values(counts).map((name) => [name, 0]));
        expect(await leadNow(lead.id)).toMatchObject({
          ...zero,
          [counts[source]]: unread,
          updatedAt,
          hasFlaggedInquiry,
        });
      };
      await expectNow(1, false, two.updatedAt);
      const steps: [Pick<Inquiry, 'id'>, object, number, boolean][] = [
        [two, { isRead: false, isFlagged: true }, 2, true],
        [one, { isFlagged: true }, 2, true],
        [two, { isFlagged: false }, 2, true],
        [two, { isFlagged: false, isRead: true }, 1, true],
        [one, { isRead: true }, 0, true],
        [one, { isRead: true, isFlagged: false }, 0, false],
        [one, { isRead: false }, 1, false],
        [two, { isRead: false, isFlagged: true }, 2, true],
      ];
      for (const [inquiry, body, unread, isFlagged] of steps) {
        const { updatedAt } = await change(inquiry, body);
        await expectNow(unread, isFlagged, updatedAt);
      }
      const bystander = await newLead(ours);
      expect(await leadNow(bystander.id)).toEqual(bystander);
    },
  );

  test('does not change with the tag or the summary of its inquiry', async () => {
    const inquiry = await arrive({ lead: { name: 'Ann' } });
    const before = await leadNow(inquiry.leadId);
    await change(inquiry, { tag: 'Quote', summary: 'A quote' });
    expect(await leadNow(inquiry.leadId)).toEqual(before);
    const { updatedAt } = await change(inquiry, { isRead: true });
    expect(await leadNow(inquiry.leadId)).toEqual({ ...before, unreadCalls: 0, updatedAt });
  });

  test('may have been deleted', async () => {
    const inquiry = await arrive({ lead: { name: 'Ann' }, source: 'SMS' });
    await ours.api.call('deleteLead', { params: { leadId: inquiry.leadId } });
    const after = await change(inquiry, { isRead: true, isFlagged: true, tag: 'Gone' });
    expect(after).toMatchObject({ isRead: true, isFlagged: true, leadId: inquiry.leadId });
    expect(await readInquiry(inquiry)).toEqual(after);
    expect(await listed({ tag: 'Gone' })).toEqual([inquiry.id]);
  });

  test('has exact counts after all of its inquiries are marked at once', async () => {
    const lead = await newLead(ours);
    const all = [];
    for (const source of ['CALL', 'EMAIL'] as const) all.push(await arrive({ source, leadId: lead.id }));
    await Promise.all(all.map((inquiry) => change(inquiry, { isRead: true, isFlagged: true })));
    await Promise.all(all.slice(1).map((inquiry) => change(inquiry, { isFlagged: false })));
    const zero = Object.fromEntries(Object.values(counts).map((name) => [name, 0]));
    expect(await leadNow(lead.id)).toMatchObject({ ...zero, hasFlaggedInquiry: true });
    await change(all[0]!, { isFlagged: false });
    expect(await leadNow(lead.id)).toMatchObject({ hasFlaggedInquiry: false });
  });
});
