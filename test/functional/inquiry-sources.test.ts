import { beforeAll, describe, expect, test } from 'vitest';
import {
  createInquiryEndpoint,
  getInquiryEndpoint,
  inquirySources,
  type InquirySource,
} from '../../shared/contract/inquiries.ts';
import { getLeadEndpoint } from '../../shared/contract/leads.ts';
import { postInquiry, newEmail, newLead, newNumber } from '../support/inquiries.ts';
import { setup, type TestOrganization } from '../support/world.ts';

let ours: TestOrganization;
beforeAll(async () => {
  ({ ours } = await setup());
});

const arrive = (body: object, { api } = ours) => postInquiry(api, body);

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
    },
    EMAIL: { subject: '', from: '', to: '', body: '', receivedAt: now },
    CHATBOT: { messages: [] },
    SMS: { messages: [] },
    WEBFORM: { formName: '', fields: {}, submittedAt: now },
  };

  test.each(inquirySources)('of a %s is not required', async (source) => {
    const lead = await newLead(ours);
    const answer = await ours.api.answer(createInquiryEndpoint, {
      body: { source, data: {}, leadId: lead.id },
    });
    const { inquiry, lead: after } = answer.body;
    expect(answer.status).toBe(201);
    expect(inquiry).toEqual({
      id: expect.stringMatching(/^inquiry_/) as unknown,
      source,
      tag: '',
      summary: '',
      isFirstInquiry: true,
      isRead: false,
      isFlagged: false,
      leadId: lead.id,
      createdAt: now,
      updatedAt: inquiry.createdAt,
      givenEmail: '',
      givenPhone: '',
      data: { id, ...nothing[source] },
    });
    const read = await ours.api.answer(getInquiryEndpoint, { params: { inquiryId: inquiry.id } });
    expect(read.body).toEqual(inquiry);
    expect(answer.headers.get('etag')).toBe(read.headers.get('etag'));
    expect((await ours.api.call(getLeadEndpoint, { params: { leadId: lead.id } })).lead).toEqual(after);
    expect(after).toMatchObject({ lastInquiryId: inquiry.id, updatedAt: inquiry.createdAt });
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
      },
    ],
    [
      'CALL',
      { startedAt: '2026-11-02T23:06:02+1000', endedAt: '2026-11-02T13:07:02.500Z' },
      { ...nothing.CALL, startedAt: at, endedAt: '2026-11-02T13:07:02.500Z', duration: 60.5 },
    ],
    [
      'CALL',
      { endedAt: '2026-11-02T13:06:12Z', duration: 10 },
      { ...nothing.CALL, startedAt: at, endedAt: '2026-11-02T13:06:12.000Z', duration: 10 },
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
      'CALL',
      { startedAt: '2026-11-02T13:06:12Z', endedAt: '2026-11-02T13:06:02Z' },
      { ...nothing.CALL, startedAt: '2026-11-02T13:06:12.000Z', endedAt: at, duration: 0 },
    ],
    [
      'WEBFORM',
      { formName: 'Contact', fields: { Name: 'Ann', 'Which day?': '' }, submittedAt: at },
      { formName: 'Contact', fields: { Name: 'Ann', 'Which day?': '' }, submittedAt: at },
    ],
  ])('of a %s is kept, its times in UTC', async (source, data, expected) => {
    const { inquiry } = await arrive({ source, data, lead: { email: newEmail() } });
    expect(inquiry.data).toEqual({ id, ...expected });
    expect(await ours.api.call(getInquiryEndpoint, { params: { inquiryId: inquiry.id } })).toEqual(inquiry);
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
      const { inquiry } = await arrive({
        source,
        data,
        tag: 'Long',
        lead: { email: newEmail(), phone: newNumber() },
      });
      expect(await ours.api.call(getInquiryEndpoint, { params: { inquiryId: inquiry.id } })).toEqual(inquiry);
    }
  });
});
