import { describe, expect, test } from 'vitest';
import type { EventPage } from '../../shared/contract/event-feed.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { messages } from '../../shared/domain/threads/threads.ts';
import { resolveSending } from '../../shared/domain/sms/resolve-sending.ts';
import { leaveSending } from '../support/leave-sending.ts';
import { fill } from '../support/filled-records.ts';
import { limits, newStore, twoOrganizations } from '../support/test-organization.ts';
import { patience } from '../support/patience.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;
const openLedger = () => ours.openLedger();
const records = await fill(ours);

type Query = Partial<Record<'after' | 'limit' | 'types', string | number>>;
const read = (query: Query = {}, by = api): Promise<EventPage> => by.call('listEvents', { query });

/** The newest event, beyond which nothing has happened yet. */
const newest = async (): Promise<number> => (await read({ limit: 1 })).version;

/** Events of what an action does. */
async function eventsOf(act: () => Promise<unknown>, by = api) {
  const after = await newest();
  await act();
  return (await read({ after }, by)).events;
}

/** The records that the writes of these events changed. */
const changedIn = (events: EventPage['events']) =>
  events.flatMap(({ changed }) => changed.map(({ type, id, isRemoved }) => [type, id, isRemoved]));

describe('an event', () => {
  test('says what happened to which record, when, and by which request of which token', async () => {
    const after = await newest();
    const { body, headers } = await api.answer('createLead', { body: { firstName: 'Ann' } });
    const { id, createdAt } = body.lead;
    const number = after + 1;
    expect(await read({ after })).toEqual({
      events: [
        {
          id: number,
          type: 'LEAD_CREATED',
          createdAt,
          userId: ours.userId,
          tokenId: 1,
          requestId: headers.get('x-request-id'),
          recordId: id,
          summary: 'The lead was created',
          write: number,
          changed: [{ type: 'lead', id, revision: number, isRemoved: false }],
        },
      ],
      records: [],
      nextAfter: number,
      version: number,
      epoch: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{6}$/) as string,
    });
  });

  test('of an operator names no token and no request', async () => {
    const principal = { organization: ours.code, userId: ours.userId, ...limits() };
    const [event] = await eventsOf(() => createLead(newStore().ledgerOf(principal), { firstName: 'Bo' }));
    expect(event).toMatchObject({ type: 'LEAD_CREATED', tokenId: null, requestId: null });
  });

  test('has the records of its write if it is the last one', async () => {
    const { id } = await createLead(openLedger().ledger, { firstName: 'Cy' });
    const params = { leadId: id };
    const body = { suburb: 'Manly', status: 'won' } as const;
    const events = await eventsOf(() => api.call('updateLead', { params, body }));
    const write = events[0]!.id + 1;
    const changed = [{ type: 'lead', id, revision: write, isRemoved: false }];
    expect(events).toMatchObject([
      { type: 'LEAD_UPDATED', summary: 'The lead was changed', write, changed: [] },
      { type: 'LEAD_STATUS_CHANGED', summary: 'Status changed from pending to won', write, changed },
    ]);
    const mark = () => api.call('updateLead', { params, body: { read: true } });
    expect(await eventsOf(mark)).toMatchObject([
      { type: 'LEAD_UPDATED', summary: 'The lead was marked as read' },
    ]);
    expect(changedIn(await eventsOf(() => api.call('deleteLead', { params })))).toEqual([['lead', id, true]]);
  });
});

describe('an event of a change names the fields that changed', () => {
  const { leadId, memberId, webhookId, inquiryId } = records;
  const inquiry = { params: { inquiryId }, body: { isRead: true, tag: 'Gas' } };
  const member = {
    params: { memberId },
    body: { role: 'ADMIN', isDisabled: true, lastName: 'Day' },
  } as const;
  const lead = (body: object) => () => api.call('updateLead', { params: { leadId }, body });
  const webhook = { params: { webhookId } };
  const organization = { body: { name: 'Gas & Co', timeZone: 'Asia/Tokyo' } };
  const priority = { params: { memberId }, body: { priority: 3 } };
  const address = { body: { url: 'https://example.com/else' } };
  const personal = { socials: { anns_page: 'x.com/ann' }, suburb: 'Bondi', email: 'al@example.com' };
  test.each<[string, () => Promise<unknown>, fields: string[][]]>([
    [
      'a lead, in their order, without keys within',
      lead(personal),
      [['email', 'suburb', 'address', 'socials']],
    ],
    ['a status', lead({ status: 'won', businessName: 'Al & Co' }), [['businessName'], ['status']]],
    ['a status, with the mark', lead({ status: 'lost', read: true }), [['status', 'read']]],
    ['a mark alone', lead({ read: false }), [['read']]],
    ['an inquiry', () => api.call('updateInquiry', inquiry), [['tag', 'isRead']]],
    ['a time zone', () => api.call('updateOrganization', organization), [['name'], ['timeZone']]],
    ['a member', () => api.call('updateMember', member), [['role'], ['isDisabled'], ['lastName']]],
    ['a schedule', () => api.call('updateMemberSchedule', priority), [['priority']]],
    ['a webhook', () => api.call('updateWebhook', { ...webhook, ...address }), [['url']]],
    ['a new secret, which is not shown', () => api.call('rotateWebhookSecret', webhook), [[]]],
  ])('%s', async (_, act, fields) => {
    expect((await eventsOf(act)).map(({ changedFields }) => changedFields)).toEqual(fields);
  });

  test('to a token that may read the record, and not for a creation or a deletion', async () => {
    const { faq } = await api.call('createFaq', { body: { question: 'Open?', answer: 'Yes' } });
    const params = { faqId: faq.id };
    const by = await ours.apiFor('events:read', 'leads:read');
    const change = () => api.call('updateFaq', { params, body: { answer: 'No' } });
    expect((await eventsOf(change, by))[0]).not.toHaveProperty('changedFields');
    await api.call('deleteFaq', { params });
    const { events } = await read({ limit: 100, types: 'FAQ_CREATED,FAQ_DELETED' });
    expect(JSON.stringify(events)).not.toContain('changedFields');
  });
});

describe('a write changes', () => {
  test('an inquiry, if a message of its thread gets another outcome', async () => {
    const { inquiryId, messageId } = await leaveSending(ours);
    const params = { inquiryId };
    const tag = async () => (await api.answer('getInquiry', { params })).headers.get('etag');
    const before = await tag();
    const events = await eventsOf(() =>
      resolveSending(
        (async function* () {
          const ref = { collection: messages, number: Number(messageId) };
          yield await Promise.resolve({ organization: ours.code, ref });
        })(),
        (organization, deadline) =>
          newStore().ledgerOf({ organization, userId: 'system', ...limits(), deadline }),
        { system: { now: Date.now }, deadline: Date.now() + patience, report: () => undefined },
      ),
    );
    expect(events).toMatchObject([{ type: 'SMS_UNKNOWN', recordId: inquiryId, userId: 'system' }]);
    expect(changedIn(events)).toEqual([['inquiry', inquiryId, false]]);
    expect(await tag()).not.toBe(before);
  });

  test('a service, if its scenario changes', async () => {
    const { serviceId } = records;
    const { service } = await api.call('getService', { params: { serviceId } });
    const { id: scenarioId } = service.scenario;
    const body = { response: 'We come today' };
    const events = await eventsOf(() => api.call('updateScenario', { params: { scenarioId }, body }));
    expect(events).toMatchObject([{ type: 'SCENARIO_UPDATED', recordId: scenarioId }]);
    expect(changedIn(events)).toEqual([
      ['scenario', scenarioId, false],
      ['service', serviceId, false],
    ]);
  });

  test('the organization, if its days are counted in another time zone', async () => {
    const body = { timeZone: 'Australia/Perth' };
    const events = await eventsOf(() => api.call('updateOrganization', { body }));
    const id = `org_${ours.code}`;
    expect(events).toMatchObject([{ type: 'ORGANIZATION_UPDATED', recordId: id }]);
    expect(changedIn(events)).toEqual([['organization', id, false]]);
  });
});

describe('a token', () => {
  test('without the scope of a subject hears that something happened, and of which kind', async () => {
    const after = await newest();
    const { faq } = await api.call('createFaq', { body: { question: 'Open?', answer: 'Yes' } });
    await api.call('deleteFaq', { params: { faqId: faq.id } });
    await ours.issueToken({});
    const hears = async (by: typeof api) =>
      (await read({ after }, by)).events.map(({ type, recordId, changed }) => [
        type,
        recordId,
        changed.length,
      ]);
    expect(await hears(await ours.apiFor('events:read', 'leads:read'))).toEqual([
      ['FAQ_CREATED', undefined, 0],
      ['FAQ_DELETED', undefined, 0],
      ['TOKEN_ISSUED', undefined, 0],
      ['TOKEN_ISSUED', undefined, 0],
    ]);
    expect(await hears(await ours.apiFor('events:read', 'faqs:read'))).toMatchObject([
      ['FAQ_CREATED', faq.id, 1],
      ['FAQ_DELETED', faq.id, 1],
      ['TOKEN_ISSUED', undefined, 0],
      // Each token that was issued.
      ['TOKEN_ISSUED', undefined, 0],
      ['TOKEN_ISSUED', undefined, 0],
    ]);
  });

  test('of another organization hears nothing of this one', async () => {
    const { events, version } = await read({}, theirs.api);
    expect(version).toBe(events.length);
    expect(JSON.stringify(events)).not.toContain(ours.code);
  });
});

describe('a page', () => {
  test('follows the one before without a gap, and is empty at the end', async () => {
    const { version } = await read();
    for (const limit of [1, 7, 100]) {
      const ids: number[] = [];
      for (let after = 0; ;) {
        const page = await read({ after, limit });
        expect(page.events.length).toBeLessThanOrEqual(limit);
        if (page.events.length === 0) break;
        ids.push(...page.events.map(({ id }) => id));
        expect(page).toMatchObject({ nextAfter: ids.at(-1), version });
        after = page.nextAfter;
      }
      expect(ids).toEqual(Array.from({ length: version }, (_, at) => at + 1));
      if (limit === 1) expect(ids.length).toBeGreaterThan(30);
    }
    expect(await read({ after: version })).toMatchObject({ events: [], nextAfter: version });
  });

  test('with types goes on past other events', async () => {
    const { events, version } = await read({ limit: 100 });
    const ofFaqs = events.filter(({ type }) => /^FAQ_(CREATED|DELETED)$/.test(type));
    const page = await read({ limit: 100, types: 'FAQ_CREATED,FAQ_DELETED' });
    expect(page.events).toEqual(ofFaqs);
    expect(page).toMatchObject({ nextAfter: Math.min(version, 100), version });
    const none = await read({ limit: 3, types: 'POLICY_DELETED' });
    expect(none).toMatchObject({ events: [], nextAfter: 3 });
  });

  test('is refused beyond the newest event, and of another epoch', async () => {
    const { version, epoch } = await read();
    const after = version + 1;
    await api.refuses(
      'listEvents',
      { query: { after } },
      `after must be at most ${version}, the newest event`,
    );
    expect(await read({ after: `${version}@${epoch}` })).toMatchObject({ events: [], epoch });
    const query = { after: `${after}@${epoch === '000000' ? '111111' : '000000'}` };
    expect(await api.failure('listEvents', 410, { query })).toEqual({
      status: 410,
      message: 'The events are numbered anew: begin again with after=0',
    });
  });

  test.each<[Query, string]>([
    [{ after: '-1' }, 'after must be the number of an event, or one with the epoch, such as 7@K3F2QX'],
    [{ after: '7@k3f2q7' }, 'after must be the number of an event, or one with the epoch, such as 7@K3F2QX'],
    [{ types: '' }, 'types must be types of events, with commas between them'],
    // A name that clients do not see.
    [{ types: 'NUMBER_ADDED' }, 'types must be types of events, with commas between them'],
  ])('%o is refused: %s', async (query, problem) => {
    await api.refuses('listEvents', { query }, problem);
  });
});
