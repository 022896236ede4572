import { describe, expect, test } from 'vitest';
import { inquirySources, type InquirySource } from '../../shared/contract/inquiries.ts';
import { storeInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { addMessage, threads, type NewMessage } from '../../shared/domain/threads/threads.ts';
import { newEmail, newLead, newNumber, postInquiry, storeSample } from '../support/inquiries.ts';
import { verifiedOrganization } from '../support/test-organization.ts';
import { expectMadeSince } from '../support/expect-made-since.ts';

const ours = await verifiedOrganization();
const { api } = ours;
const { ledger } = ours.openLedger();

const arrive = (body: object) => postInquiry(api, body);
const read = (inquiryId: string) => api.call('getInquiry', { params: { inquiryId } });

describe('the data of a source', () => {
  const now: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const id: unknown = expect.any(String);
  const nothing: Record<InquirySource, object> = {
    CALL: {
      summary: '',
      keyPoints: [],
      recordingUrl: '',
      transcripts: [],
      direction: 'LEAD_TO_AI',
      duration: 0,
      startedAt: now,
      endedAt: now,
      endedBy: 'user',
      endReason: '',
      fields: {},
    },
    EMAIL: { subject: '', from: '', to: '', body: '', receivedAt: now },
    CHATBOT: { messages: [] },
    SMS: { messages: [] },
    WEBFORM: { formName: '', fields: {}, submittedAt: now },
  };

  test.each(inquirySources)('of a %s is not required', async (source) => {
    const { id: leadId } = await newLead(ours);
    const answer = await api.answer('createInquiry', { body: { source, data: {}, leadId } });
    const { inquiry, lead } = answer.body;
    expect(answer.status).toBe(201);
    expect(inquiry).toEqual({
      id: expect.stringMatching(/^inquiry_/) as unknown,
      source,
      leadId,
      tag: '',
      summary: '',
      isFirstInquiry: true,
      isRead: false,
      isFlagged: false,
      givenEmail: '',
      givenPhone: '',
      createdAt: now,
      updatedAt: inquiry.createdAt,
      data: { id, ...nothing[source] },
    });
    const known = await api.answer('getInquiry', { params: { inquiryId: inquiry.id } });
    expect(known.body).toEqual(inquiry);
    const { inquiries } = await api.call('listInquiries', { query: { leadId } });
    expect(inquiries).toMatchObject([{ id: inquiry.id, sourceId: inquiry.data.id }]);
    expect(answer.headers.get('etag')).toBe(known.headers.get('etag'));
    expect((await api.call('getLead', { params: { leadId } })).lead).toEqual(lead);
    expect(lead).toMatchObject({ lastInquiryId: inquiry.id, updatedAt: inquiry.createdAt });
  });

  const at = '2026-11-02T13:06:02.000Z';
  test.each([
    [
      'CALL',
      {
        summary: 'Wants a quote',
        keyPoints: ['Gas', ''],
        recordingUrl: 'https://recordings.example.com/1.mp3',
        transcripts: [
          { id: 'a', created_at: '2026-11-02T13:06:02Z', text: 'Hello', user: 'assistant' },
          { created_at: '2026-11-03T00:06:02.000+11:00', text: 'Hi\nthere' },
          {},
        ],
        direction: 'AI_TO_LEAD',
        duration: 7.25,
        startedAt: '2026-11-02T13:06:02.0001Z',
        endedBy: 'system',
        endReason: 'voicemail',
        fields: { suburb: 'Glebe', age: '7' },
      },
      {
        summary: 'Wants a quote',
        keyPoints: ['Gas', ''],
        recordingUrl: 'https://recordings.example.com/1.mp3',
        transcripts: [
          { id: 'a', created_at: at, text: 'Hello', user: 'assistant' },
          { id: '2', created_at: at, text: 'Hi\nthere', user: 'user' },
          { id: '3', created_at: now, text: '', user: 'user' },
        ],
        direction: 'AI_TO_LEAD',
        duration: 7.25,
        startedAt: at,
        endedAt: '2026-11-02T13:06:09.250Z',
        endedBy: 'system',
        endReason: 'voicemail',
        fields: { age: '7', suburb: 'Glebe' },
      },
    ],
    [
      'CALL',
      { startedAt: '2026-11-02T23:06:02+1000', endedAt: '2026-11-02T13:07:02.500Z' },
      { ...nothing.CALL, startedAt: at, endedAt: '2026-11-02T13:07:02.500Z', duration: 60.5 },
    ],
    [
      'EMAIL',
      {
        subject: 'Re: Quote',
        from: 'Ann <ann@example.com>',
        to: 'us@example.com',
        body: 'Hi,\n\n\tyes.',
        receivedAt: at,
      },
      {
        subject: 'Re: Quote',
        from: 'Ann <ann@example.com>',
        to: 'us@example.com',
        body: 'Hi,\n\n\tyes.',
        receivedAt: at,
      },
    ],
    [
      'CHATBOT',
      {
        messages: [
          { text: 'Open?', createdAt: at },
          { id: 'x', user: 'assistant', text: 'Yes', createdAt: at },
        ],
      },
      {
        messages: [
          { id: '1', user: 'user', text: 'Open?', createdAt: at },
          { id: 'x', user: 'assistant', text: 'Yes', createdAt: at },
        ],
      },
    ],
    [
      'SMS',
      // Two messages without text, as with pictures, one of them with an earlier time.
      {
        messages: [
          { text: '' },
          { direction: 'OUTBOUND', text: 'Thanks', createdAt: at },
          { text: 'Why?', createdAt: at },
          { createdAt: '2026-11-03T00:06:01.999+11:00' },
          { text: 'Late' },
        ],
      },
      {
        messages: [
          { id, direction: 'INBOUND', text: '', createdAt: '2026-11-02T13:06:01.999Z', status: 'RECEIVED' },
          { id, direction: 'OUTBOUND', text: 'Thanks', createdAt: at, status: 'SENT' },
          { id, direction: 'INBOUND', text: 'Why?', createdAt: at, status: 'RECEIVED' },
          { id, direction: 'INBOUND', text: '', createdAt: now, status: 'RECEIVED' },
          { id, direction: 'INBOUND', text: 'Late', createdAt: now, status: 'RECEIVED' },
        ],
      },
    ],
    [
      'CHATBOT',
      { messages: [{ id: '2' }, {}, { id: '5' }, { id: '', text: 'Hi', createdAt: at }] },
      {
        messages: [
          { id: '1', user: 'user', text: 'Hi', createdAt: at },
          ...['2', '3', '5'].map((turn) => ({ id: turn, user: 'user', text: '', createdAt: now })),
        ],
      },
    ],
    [
      'CALL',
      { transcripts: [{ id: '2', created_at: at }, {}, { created_at: '2026-11-02T13:06:01Z' }] },
      {
        ...nothing.CALL,
        transcripts: [
          { id: '2', created_at: at, text: '', user: 'user' },
          { id: '5', created_at: now, text: '', user: 'user' },
          { id: '3', created_at: '2026-11-02T13:06:01.000Z', text: '', user: 'user' },
        ],
      },
    ],
    [
      'WEBFORM',
      { formName: 'Contact', fields: { Name: 'Ann', 'Which day?': '' }, submittedAt: at },
      { formName: 'Contact', fields: { Name: 'Ann', 'Which day?': '' }, submittedAt: at },
    ],
  ])('of a %s is kept, its times in UTC', async (source, data, expected) => {
    const { inquiry } = await arrive({ source, data, lead: { email: newEmail() } });
    expect(inquiry.data).toEqual({ id, ...expected });
    expect(await read(inquiry.id)).toEqual(inquiry);
  });

  test('can be as large as a body', async () => {
    const turns = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(180) }));
    for (const [source, data] of [
      ['CALL', { transcripts: turns }],
      ['CHATBOT', { messages: turns }],
      ['EMAIL', { body: 'é'.repeat(130_000) }],
      ['SMS', { messages: Array.from({ length: 50 }, () => ({ text: 'ü'.repeat(1600) })) }],
      [
        'WEBFORM',
        { fields: Object.fromEntries(turns.slice(0, 200).map((_, at) => [`${at}`, 'x'.repeat(1200)])) },
      ],
    ] as const) {
      const lead = { email: newEmail(), phone: newNumber() };
      const { inquiry } = await arrive({ source, data, tag: 'Long', lead });
      expect(await read(inquiry.id)).toEqual(inquiry);
    }
  });
});

describe('an inquiry', () => {
  test.each([
    ['CALL', 'unreadCalls', 'There was a call'],
    ['EMAIL', 'unreadEmails', 'An email came in'],
    ['CHATBOT', 'unreadChatbotThreads', 'There was a chat'],
    ['SMS', 'unreadSMS', 'A conversation by SMS began'],
    ['WEBFORM', 'unreadWebformSubmissions', 'A web form was sent'],
  ] as const)(
    'by %s is counted by its lead in %s, unless it was read, and is an activity',
    async (source, counter, data) => {
      const lead = await newLead(ours);
      const { id: leadId } = lead;
      const began = Date.now();
      const first = await storeSample(ledger, lead, source);
      expectMadeSince(began, first.createdAt);
      const { cost } = await api.answer('getInquiry', { params: { inquiryId: first.id } });
      // A thread takes one more call, which reads its messages.
      expect(cost.calls).toBe(source === 'SMS' ? 3 : 2);

      const expectCounted = async (count: number, { id, createdAt }: typeof first) => {
        const last = { lastInquiryId: id, lastInquiryDate: createdAt, updatedAt: createdAt };
        const { lead: now } = await api.call('getLead', { params: { leadId } });
        expect(now).toEqual({ ...lead, [counter]: count, ...last });
      };
      await expectCounted(1, first);
      const second = await storeSample(ledger, lead, source);
      await expectCounted(2, second);
      const third = await storeSample(ledger, lead, source, { isRead: true });
      await expectCounted(2, third);
      const list = await api.call('listLeadActivities', { params: { leadId } });
      const told = [third, second, first].map((inquiry) => ({
        event: 'INQUIRY_CREATED',
        data,
        referenceId: inquiry.id,
        createdAt: inquiry.createdAt,
        userId: ours.userId,
        leadId,
      }));
      expect(list.activities.slice(0, 3).map(({ id, ...activity }) => activity)).toEqual(told);
      expect(list.activities[3]).toMatchObject({ event: 'LEAD_CREATED' });
      expect(list.totalCount).toBe(4);
    },
  );

  test('by SMS shows the newest 100 messages of its thread, oldest first', async () => {
    const lead = await newLead(ours);
    const texts = Array.from({ length: 105 }, (_, at) => `Message ${at + 1}`);
    const message = (text: string): NewMessage => ({
      direction: 'INBOUND',
      text,
      status: 'RECEIVED',
      userId: null,
    });
    const { id, sourceId } = await storeInquiry(ledger, lead.id, {
      source: 'SMS',
      summary: '',
      data: { messages: texts.slice(0, 60).map(message) },
    });
    // A message of another thread, which must not show in this one.
    await storeSample(ledger, lead, 'SMS');
    const goesOn = (more: string[]) =>
      ledger.write({ change: { thread: ledger.ref(threads, sourceId) } }, (write, { thread }) => {
        for (const text of more) addMessage(write, thread, message(text));
        write.event({ event: 'TEST', data: 'Messages were added', referenceId: id });
      });
    const shown = async () => {
      const { data } = await read(id);
      return 'messages' in data ? data.messages.map(({ text }) => text) : [];
    };
    expect(await shown()).toEqual(texts.slice(0, 60));
    await goesOn(texts.slice(60, 100));
    expect(await shown()).toEqual(texts.slice(0, 100));
    await goesOn(texts.slice(100));
    expect(await shown()).toEqual(texts.slice(5));
  });
});
