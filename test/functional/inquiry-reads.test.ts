import { beforeAll, describe, expect, test } from 'vitest';
import {
  getInquiryEndpoint,
  inquirySources,
  listInquiriesEndpoint,
} from '../../shared/contract/inquiries.ts';
import {
  deleteLeadEndpoint,
  getLeadEndpoint,
  listLeadActivitiesEndpoint,
} from '../../shared/contract/leads.ts';
import { createInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { addMessage, threads, type NewMessage } from '../../shared/domain/threads/threads.ts';
import { storeInquiry, newLead, sampleSources } from '../support/inquiries.ts';
import { pageOfAll } from '../support/pages.ts';
import { setup, type World } from '../support/world.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

let world: World;
let ledger: Ledger;
beforeAll(async () => {
  world = await setup();
  ({ ledger } = world.ours.openLedger());
});

describe('an inquiry', () => {
  test.each(inquirySources)('of source %s is read with the data of its source', async (source) => {
    const { ours } = world;
    const lead = await newLead(ours);
    const given = { tag: 'Hot water', summary: 'No hot water', isRead: true };
    const { id, createdAt } = await storeInquiry(ledger, lead, source, {
      ...given,
      externalId: `crm-${source}`,
    });
    const { inquiries } = await ours.api.call(listInquiriesEndpoint, { query: { leadId: lead.id } });
    expect(inquiries.map((item) => item.id)).toEqual([id]);

    const { body, cost } = await ours.api.answer(getInquiryEndpoint, { params: { inquiryId: id } });
    const dataId = inquiries[0]!.sourceId;
    const number: unknown = expect.stringMatching(/^\d+$/);
    const recorded =
      source === 'SMS'
        ? {
            messages: [
              {
                id: number,
                direction: 'INBOUND',
                text: 'No hot water',
                createdAt,
                status: 'RECEIVED',
              },
              {
                id: number,
                direction: 'OUTBOUND',
                text: 'On our way',
                createdAt,
                status: 'SENT',
              },
            ],
          }
        : sampleSources[source].data;
    expect(body).toEqual({
      id,
      source,
      ...given,
      isFirstInquiry: true,
      isFlagged: false,
      leadId: lead.id,
      createdAt,
      updatedAt: createdAt,
      givenEmail: '',
      givenPhone: '',
      data: { id: dataId, ...recorded },
    });
    expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(60_000);
    // A thread takes one more call, which reads its messages.
    expect(cost.calls).toBe(source === 'SMS' ? 3 : 2);
  });

  test('by SMS shows the newest 100 messages of its thread, oldest first', async () => {
    const { ours } = world;
    const lead = await newLead(ours);
    const texts = Array.from({ length: 105 }, (_, at) => `Message ${at + 1}`);
    const message = (text: string): NewMessage => ({
      direction: 'INBOUND',
      text,
      status: 'RECEIVED',
      userId: null,
    });
    const { id, sourceId } = await createInquiry(ledger, lead.id, {
      source: 'SMS',
      summary: '',
      data: { messages: texts.slice(0, 60).map(message) },
    });
    // A message of another thread, which must not show in this one.
    await storeInquiry(ledger, lead, 'SMS');
    const goesOn = async (more: string[]) => {
      const ref = ledger.ref(threads, sourceId);
      await ledger.write({ change: { thread: ref } }, (write, { thread }) => {
        for (const text of more) addMessage(write, thread.id, message(text));
        write.event({ event: 'TEST', data: 'Messages were added', referenceId: id });
      });
    };
    const shown = async () => {
      const { data } = await ours.api.call(getInquiryEndpoint, { params: { inquiryId: id } });
      return 'messages' in data ? data.messages.map(({ text }) => text) : [];
    };
    expect(await shown()).toEqual(texts.slice(0, 60));
    await goesOn(texts.slice(60, 100));
    expect(await shown()).toEqual(texts.slice(0, 100));
    await goesOn(texts.slice(100));
    expect(await shown()).toEqual(texts.slice(5));
  });

  test('of a deleted lead stays unchanged', async () => {
    const { ours } = await setup();
    const lead = await newLead(ours);
    const { id } = await storeInquiry(ours.openLedger().ledger, lead, 'CALL', { summary: 'Wants a quote' });
    const params = { inquiryId: id };
    const before = await ours.api.call(getInquiryEndpoint, { params });
    const [item] = (await ours.api.call(listInquiriesEndpoint, { query: { expand: 'lead' } })).inquiries;
    expect(item!.lead).toMatchObject({ id: lead.id });

    await ours.api.call(deleteLeadEndpoint, { params: { leadId: lead.id } });
    expect(await ours.api.call(getInquiryEndpoint, { params })).toEqual(before);
    for (const query of [{}, { leadId: lead.id }, { source: 'CALL' }, { leadId: lead.id, source: 'CALL' }]) {
      expect(await ours.api.call(listInquiriesEndpoint, { query: { ...query, expand: 'lead' } })).toEqual(
        pageOfAll('inquiries', [{ ...item, lead: null }]),
      );
    }
  });

  test('with an impossible id is 404', async () => {
    const { ours } = world;
    const { id } = await storeInquiry(ledger, await newLead(ours), 'CALL');
    for (const inquiryId of [
      'nonsense',
      'inquiry_',
      '1',
      `${id}0`,
      id.toLowerCase(),
      id.replace('inquiry_', 'lead_'),
      id.replace(/.$/, 'Z'),
      id.replace(/.{8}$/, '00000000'),
      id.replace(/.{8}$/, 'ZZZZZZZZ'),
    ]) {
      expect(await ours.api.failure(getInquiryEndpoint, 404, { params: { inquiryId } })).toEqual({
        status: 404,
        message: 'There is no such inquiry',
      });
    }
  });

  test('is never shown to another organization', async () => {
    const { ours, theirs } = await setup();
    const [lead, theirLead] = [await newLead(ours), await newLead(theirs)];
    const inquiry = await storeInquiry(ours.openLedger().ledger, lead, 'SMS', { summary: 'Ours' });
    const other = await storeInquiry(theirs.openLedger().ledger, theirLead, 'SMS', { summary: 'Theirs' });
    // Both organizations have an inquiry with this number.
    expect(inquiry.id.slice(-8)).toBe(other.id.slice(-8));

    const never = { inquiryId: other.id.replace(/.$/, 'Z') };
    expect(await theirs.api.failure(getInquiryEndpoint, 404, { params: { inquiryId: inquiry.id } })).toEqual(
      await theirs.api.failure(getInquiryEndpoint, 404, { params: never }),
    );
    for (const filter of [{}, { source: 'SMS' }, { expand: 'both' }]) {
      const list = (leadId: string) =>
        theirs.api.call(listInquiriesEndpoint, { query: { leadId, ...filter, limit: 10 } });
      expect(await list(lead.id)).toEqual(await list(theirLead.id.replace(/.$/, 'Z')));
      const { inquiries, totalCount } = await theirs.api.call(listInquiriesEndpoint, { query: filter });
      expect(inquiries.map(({ summary }) => summary)).toEqual(['Theirs']);
      expect(totalCount).toBe(1);
    }
  });
});

describe('the lead of an inquiry', () => {
  const unread = {
    unreadEmails: 0,
    unreadCalls: 0,
    unreadChatbotThreads: 0,
    unreadSMS: 0,
    unreadWebformSubmissions: 0,
  };

  test.each([
    ['CALL', 'unreadCalls', 'There was a call'],
    ['EMAIL', 'unreadEmails', 'An email came in'],
    ['CHATBOT', 'unreadChatbotThreads', 'There was a chat'],
    ['SMS', 'unreadSMS', 'A conversation by SMS began'],
    ['WEBFORM', 'unreadWebformSubmissions', 'A web form was sent'],
  ] as const)(
    'knows of a new %s: in %s, as its last, and among its activities',
    async (source, counter, data) => {
      const { ours } = world;
      const { api, userId } = ours;
      const { ledger } = ours.openLedger();
      const [lead, bystander] = [await newLead(ours), await newLead(ours, 'Bo')];
      const leadId = lead.id;
      const leadNow = async () => (await api.call(getLeadEndpoint, { params: { leadId } })).lead;

      const first = await storeInquiry(ledger, lead, source);
      const at = { lastInquiryDate: first.createdAt, updatedAt: first.createdAt };
      const last = { lastInquiryId: first.id, ...at };
      expect(await leadNow()).toEqual({ ...lead, ...unread, [counter]: 1, ...last });
      const second = await storeInquiry(ledger, lead, source);
      expect(await leadNow()).toMatchObject({ ...unread, [counter]: 2, lastInquiryId: second.id });
      const third = await storeInquiry(ledger, lead, source, { isRead: true });
      expect(await leadNow()).toEqual({
        ...lead,
        ...unread,
        [counter]: 2,
        lastInquiryId: third.id,
        lastInquiryDate: third.createdAt,
        updatedAt: third.createdAt,
      });

      const list = await api.call(listLeadActivitiesEndpoint, { params: { leadId } });
      const told = [third, second, first].map(({ id, createdAt }) => ({
        event: 'INQUIRY_CREATED',
        data,
        referenceId: id,
        userId,
        leadId,
        createdAt,
      }));
      expect(list.activities.slice(0, 3).map(({ id, ...activity }) => activity)).toEqual(told);
      expect(list.activities[3]).toMatchObject({ event: 'LEAD_CREATED' });
      expect(list.totalCount).toBe(4);
      expect((await api.call(getLeadEndpoint, { params: { leadId: bystander.id } })).lead).toEqual(bystander);
    },
  );
});
