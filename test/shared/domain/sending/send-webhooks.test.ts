import { describe, expect, test } from 'vitest';
import type { Posted } from '../../../../shared/domain/webhooks/receiver.ts';
import { createFaq, deleteFaq, updateFaq } from '../../../../shared/domain/faqs/faqs.ts';
import { createCompany } from '../../../../shared/domain/companies/companies.ts';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { revokeToken, rotateToken } from '../../../../shared/domain/tokens/tokens.ts';
import {
  deleteWebhook,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../../../shared/domain/webhooks/webhooks.ts';
import { events, newConsumedCapacity } from '../../../../shared/ledger/index.ts';
import { cursorKey } from '../../../../shared/ledger/internal/keys.ts';
import { callCosts } from '../../../support/call-costs.ts';
import { sampleSources } from '../../../support/inquiries.ts';
import { secretMaker } from '../../../support/secrets.ts';
import { SendingOrganization } from './sending-organization.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const by = { userId: 'user', tokenId: 1, reachesLoopback: false };

const addFaq = (at: SendingOrganization, question = 'Open?') =>
  at.run((ledger) => createFaq(ledger, { question, answer: 'Yes' }));
const stored = (at: SendingOrganization, number = 1) =>
  at.run((ledger) => ledger.get({ collection: webhooks, number }));

describe('a receiver gets', () => {
  test('each event since the webhook was made, in order, with the record as it is', async () => {
    const at = await SendingOrganization.found();
    await at.webhook();
    const { id } = await at.run((ledger) => createLead(ledger, { name: 'Ann Lee' }));
    await at.run((ledger) => updateLead(ledger, id, { status: 'won' }));
    const { epoch } = await at.run((ledger) => ledger.eventsAfter(0, 1));
    expect(await at.send()).toEqual({ sent: 3 });
    expect(at.gotFrom().map(([type]) => type)).toEqual([
      'webhook.created',
      'lead.created',
      'lead.status_changed',
    ]);
    const [, created, changed] = at.got;
    const event = created!.body;
    expect(event).toMatchObject({
      timestamp: event.data['createdAt'],
      data: {
        id: event.id,
        type: 'LEAD_CREATED',
        recordId: id,
        write: event.id,
        record: { id, status: 'won' },
      },
    });
    expect(event.data).not.toHaveProperty('isThin');
    expect(changed!.body.data['summary']).toBe('Status changed from pending to won');
    expect(created!.headers['webhook-id']).toBe(`${at.code}-${epoch}-${event.id}`);
    // There is nothing left to send, whoever asks.
    expect(await at.send()).toEqual({ sent: 0 });
    expect(await at.send({ upTo: changed!.body.id })).toEqual({ sent: 0 });
    expect(at.attempts).toEqual(
      at.got.map(({ body: { id: number, type } }) => ({
        organization: at.code,
        webhook: 1,
        event: number,
        type,
        status: 200,
        milliseconds: 12,
      })),
    );
    expect(at.counts).toEqual({ deliveries: 3 });
  });

  test.each([
    [['*'], ['faq.created', 'company.created', 'token.issued']],
    [['faq.*', 'policy.created'], ['faq.created']],
  ])('of the types %j no others', async (types, expected) => {
    const at = await SendingOrganization.found();
    await at.webhook(types);
    await addFaq(at);
    await at.run((ledger) => createCompany(ledger, { name: 'Bakery' }));
    await at.run((ledger) =>
      ledger.write({}, (write) => {
        write.event({ event: 'TOKEN_ISSUED', data: 'A token was issued', referenceId: '9' });
      }),
    );
    await at.send();
    expect(
      at
        .gotFrom()
        .map(([type]) => type)
        .filter((type) => type !== 'webhook.created'),
    ).toEqual(expected);
    // The sender looks only once at events that it passes over.
    expect((await at.cursor()).after).toBe((await at.run((ledger) => ledger.eventsAfter(0, 1))).version);
  });

  test('only what the scopes of its token read', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['*'], ['faqs:read']);
    await at.run((ledger) => createLead(ledger, { name: 'Ann Lee' }));
    await addFaq(at);
    await at.send();
    expect(at.gotFrom().map(([type]) => type)).toEqual(['faq.created']);
  });

  test('null for a record that is gone, and its answer is then not kept', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['lead.*', 'faq.*']);
    const { id } = await at.run((ledger) => createLead(ledger, { name: 'Ann Lee' }));
    await at.run((ledger) => deleteLead(ledger, id));
    const faq = await addFaq(at);
    await at.run((ledger) => deleteFaq(ledger, faq.id));
    await at.send();
    expect(at.got.map(({ body }) => body.data['record'])).toEqual([null, null, null, null]);
    const bodies = (await at.deliveries()).map(({ attempts }) => attempts[0]!.body);
    expect(bodies).toEqual(['OK', 'OK', '', '']);
    expect(JSON.stringify(at.got)).not.toContain('Ann');
  });

  test('a record of more than 20 KB by its id alone', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['inquiry.created']);
    const { id } = await at.run((ledger) => createLead(ledger, { name: 'Ann Lee' }));
    const body = 'a'.repeat(20_000);
    for (const more of ['', 'b'.repeat(1000)])
      await at.run((ledger) =>
        storeInquiry(ledger, id, {
          source: 'EMAIL',
          summary: '',
          data: { ...sampleSources.EMAIL.data, body: body + more },
        }),
      );
    await at.send();
    const [small, large] = at.got.map(({ body: { data } }) => data);
    expect(small!['record']).toMatchObject({ data: { body } });
    expect(large).toMatchObject({ isThin: true, recordId: expect.stringMatching(/^inquiry_/) as string });
    expect(large).not.toHaveProperty('record');
  });

  test('what was left while the webhook was paused, once it is enabled again', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await at.send();
    await at.run((ledger) => updateWebhook(ledger, 1, { isEnabled: false }, by));
    await addFaq(at);
    await at.work(hour);
    expect(at.got).toEqual([]);
    // An imported webhook has no cursor.
    await at.table.items.remove(cursorKey(at.code, 1));
    await at.run((ledger) => updateWebhook(ledger, 1, { isEnabled: true }, by));
    expect((await at.cursor()).dueAt).toBe(new Date(at.now + minute).toISOString());
    await at.send();
    expect(at.gotFrom().map(([type]) => type)).toEqual(['faq.created']);
  });

  test('what a change of the webhook says only after that change', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.created']);
    await addFaq(at);
    await at.run((ledger) => updateWebhook(ledger, 1, { url: 'https://example.com/new' }, by));
    await addFaq(at, 'Late?');
    // Somebody else changes it while the first event is sent.
    let isFirst = true;
    at.answer = async () => {
      if (!isFirst) return {};
      isFirst = false;
      const { ledger } = at.organization.openLedger();
      await updateWebhook(ledger, 1, { url: 'https://example.com/newer' }, by);
      await createFaq(ledger, { question: 'Later?', answer: 'Yes' });
      return {};
    };
    await at.send();
    expect(at.got.map(({ url }) => url)).toEqual([
      'https://example.com/new',
      'https://example.com/newer',
      'https://example.com/newer',
    ]);
  });
});

describe('a receiver that fails is tried again', () => {
  const waits = [
    5 * second,
    5 * minute,
    30 * minute,
    ...[2, 5, 10, 14, 20, 24, 24, 24].map((hours) => hours * hour),
  ];

  test.each<[string, Partial<Posted>]>([
    ['hangs', { failure: 'TIMEOUT' }],
    ['answers 302', { status: 302 }],
  ])('by the schedule for five days, then the webhook is disabled: it %s', async (_, posted) => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    const first = await addFaq(at);
    at.answer = () => ({ body: '', ...posted });
    await at.work(200 * hour);
    const times = at.got.map((got) => got.at);
    const seen = times.slice(1).map((time, index) => time - times[index]!);
    expect(seen).toHaveLength(waits.length);
    for (const [index, wait] of waits.entries()) {
      expect(seen[index]).toBeGreaterThanOrEqual(wait);
      expect(seen[index]).toBeLessThanOrEqual(index === 0 ? wait : wait * 1.1);
    }
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(120 * hour);
    expect(await stored(at)).toMatchObject({ isEnabled: false, disabledReason: 'FAILING' });
    const { items } = await at.run((ledger) => ledger.page(events, { page: 1, limit: 1 }));
    expect(items[0]).toMatchObject({ event: 'WEBHOOK_DISABLED', userId: 'system' });
    expect(at.counts).toEqual({ failedAttempts: waits.length + 1, disabledWebhooks: 1 });
    const [delivery, ...others] = await at.deliveries();
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ status: 'RETRYING', type: 'faq.created' });
    expect(delivery!.attempts.map(({ at: time, status, failure }) => [time, status, failure])).toEqual(
      times.map((time) => [new Date(time).toISOString(), posted.status ?? null, posted.failure ?? null]),
    );
    // Each attempt has the same id, and another signature.
    expect(new Set(at.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(at.got.map(({ headers }) => headers['webhook-signature'])).size).toBe(times.length);
    // Enabled again, the webhook goes on at the event that failed.
    at.answer = () => ({});
    await at.run((ledger) => updateFaq(ledger, first.id, { answer: 'No' }));
    await at.run((ledger) => updateWebhook(ledger, 1, { isEnabled: true }, by));
    await at.send();
    expect(at.gotFrom(times.length).map(([type]) => type)).toEqual(['faq.created', 'faq.updated']);
  });

  test.each<[string, number, number]>([
    ['longer than the schedule', 90 * second, 90 * second],
    ['shorter than the schedule', 2 * second, 5 * second],
    ['longer than a day', 90 * hour, 24 * hour],
  ])('after Retry-After, if that is %s', async (_, retryAfter, expected) => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await addFaq(at);
    at.answer = () => (at.got.length === 1 ? { status: 429, retryAfter } : {});
    await at.work(100 * hour);
    expect(at.got[1]!.at - at.got[0]!.at).toBe(expected);
  });

  test('though it answered 410, if its address was changed meanwhile', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await addFaq(at);
    at.answer = async ({ url }) => {
      if (url.endsWith('/new')) return {};
      const { ledger } = at.organization.openLedger();
      await updateWebhook(ledger, 1, { url: 'https://example.com/new' }, by);
      return { status: 410 };
    };
    await at.send();
    expect(await at.send()).toEqual({ sent: 1 });
    expect(at.counts).toEqual({ failedAttempts: 1, deliveries: 1 });
  });

  test('not before its time, whoever asks, unless somebody wakes it', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await addFaq(at);
    at.answer = () => ({ status: 500 });
    await at.work(hour);
    expect(at.got).toHaveLength(4);
    await addFaq(at, 'Late?');
    for (const upTo of [0, 1000]) expect(await at.send({ upTo })).toEqual({ sent: 0 });
    expect(at.got).toHaveLength(4);
    at.answer = () => ({});
    const tested = await at.run((ledger) => testWebhook(ledger, 1));
    expect(await at.send()).toEqual({ sent: 3 });
    const waited = [tested - 2, tested - 1].map((event) => ['faq.created', event]);
    expect(at.gotFrom(4)).toEqual([...waited, ['webhook.tested', tested]]);
    // The sweeper looks again after the usual time, and not after the wait of the failure.
    expect(Date.parse((await at.cursor()).dueAt)).toBeLessThanOrEqual(at.now + 15 * minute);
  });
});

describe('a client asks', () => {
  test('for a test, whatever types the webhook has and its token reads', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['lead.*'], ['leads:read']);
    await at.webhook(['lead.*', 'other']);
    const event = await at.run((ledger) => testWebhook(ledger, 1));
    await at.send();
    expect(at.gotFrom()).toEqual([['webhook.tested', event]]);
    expect(at.got[0]!.body.data['record']).toBeNull();
    await at.send({ webhook: 2 });
    expect(at.got).toHaveLength(1);
  });

  test('for a delivery again: the same id and event, with the record as it is now', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.created']);
    const faq = await addFaq(at);
    await at.send();
    await at.run((ledger) => updateFaq(ledger, faq.id, { answer: 'No' }));
    const event = at.got[0]!.body.id;
    const values = { from: '1', to: String(event) };
    await at.run((ledger) =>
      ledger.write({}, (write) => {
        write.event({ event: 'WEBHOOK_REDELIVERED', data: 'Again', values, referenceId: '1' });
      }),
    );
    await at.send();
    const [first, again] = at.got;
    expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(again!.body).toMatchObject({ ...first!.body, data: { record: { answer: 'No' } } });
    expect((await at.deliveries()).map(({ id, eventId }) => [id, eventId])).toEqual([
      [2, event],
      [1, event],
    ]);
    // An event that was just sent again is not sent once more.
    expect(await at.send()).toEqual({ sent: 0 });
  });

  test.each<[string, number, string[]]>([
    ['back', -3, ['A', 'B', 'C']],
    ['to now', 0, []],
  ])('to go on %s', async (_, from, expected) => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    for (const question of ['A', 'B', 'C']) await addFaq(at, question);
    if (from < 0) await at.send();
    const { version } = await at.run((ledger) => ledger.eventsAfter(0, 1));
    const before = at.got.length;
    await at.run((ledger) => replayWebhook(ledger, 1, version + from));
    await at.send();
    const questions = at.got.slice(before).map(({ body }) => body.data['record']);
    expect(questions).toMatchObject(expected.map((question) => ({ question })));
    expect(await at.send()).toEqual({ sent: 0 });
  });

  test('to go back, at whatever moment of a run', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    const asked = [await addFaq(at, 'A'), await addFaq(at, 'B')].map(({ id }) => id);
    const image = at.table.image();
    await at.send();
    const { calls } = at;
    expect(calls).toBeGreaterThan(10);
    for (let call = 1; call <= calls; call++) {
      image.restore();
      [at.got.length, at.calls] = [0, 0];
      let version = 0;
      at.before = async (one) => {
        if (one !== call || version > 0) return;
        version = -1;
        const { ledger } = at.organization.openLedger();
        await replayWebhook(ledger, 1, 0);
        ({ version } = await ledger.eventsAfter(0, 1));
      };
      await at.send();
      await at.send({ upTo: version });
      const sent = at.got.map(({ body }) => (body.data['record'] as { id: number }).id);
      expect(sent.slice(-2), `call ${call}`).toEqual(asked);
      expect(await at.cursor(), `call ${call}`).toMatchObject({ restarts: 1, after: version });
    }
  });

  test('for another secret: both sign for a day', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await at.run((ledger) => rotateWebhookSecret(ledger, 1, secretMaker));
    const signatures = async (question: string) => {
      await addFaq(at, question);
      await at.send();
      return at.got.at(-1)!.headers['webhook-signature']!.split(' ').length;
    };
    expect(await signatures('A')).toBe(2);
    await at.pass(24 * hour);
    expect(await signatures('B')).toBe(1);
  });

  test('for a deletion: the cursor goes too', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    await addFaq(at);
    await at.run((ledger) => deleteWebhook(ledger, 1));
    expect(await at.send()).toEqual({ sent: 0 });
    expect(at.got).toEqual([]);
    expect(await at.cursor()).toMatchObject({ dueAt: '', leaseId: '' });
  });
});

describe('the token of a webhook', () => {
  test('is followed when it is replaced: its scopes are those of the newest', async () => {
    const at = await SendingOrganization.found();
    const { tokenId } = await at.webhook(['faq.*'], ['faqs:read']);
    const { randomBytes } = secretMaker;
    await at.run((ledger) => rotateToken(ledger, tokenId, { overlap: 0 }, randomBytes));
    await addFaq(at);
    expect(await at.send()).toEqual({ sent: 1 });
    expect(await stored(at)).toMatchObject({ isEnabled: true });
  });

  test.each<[string, (at: SendingOrganization, tokenId: number) => Promise<unknown>]>([
    ['is revoked', (at, tokenId) => at.run((ledger) => revokeToken(ledger, tokenId))],
    [
      'expires',
      async (at, tokenId) => {
        const expiry = { after: hour };
        const { randomBytes } = secretMaker;
        await at.run((ledger) => rotateToken(ledger, tokenId, { overlap: 0, expiry }, randomBytes));
        await at.pass(hour);
      },
    ],
  ])('disables it when it %s, and no other replaces it', async (_, end) => {
    const at = await SendingOrganization.found();
    const { tokenId } = await at.webhook(['faq.*'], ['faqs:read']);
    await end(at, tokenId);
    await addFaq(at);
    expect(await at.send()).toEqual({ sent: 0 });
    expect(at.got).toEqual([]);
    expect(await stored(at)).toMatchObject({ isEnabled: false, disabledReason: 'TOKEN_ENDED' });
    expect(at.counts).toEqual({ disabledWebhooks: 1 });
  });
});

describe('a run', () => {
  test('sends many events, and passes over many', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    for (let faq = 0; faq < 120; faq++) await addFaq(at, `Question ${faq}`);
    expect(await at.send()).toEqual({ sent: 120 });
    await at.webhook(['lead.*']);
    await at.run((ledger) => replayWebhook(ledger, 2, 0));
    // A run without time for a page leaves it to the next one.
    expect(await at.send({ webhook: 2 }, { milliseconds: 4999 })).toEqual({ sent: 0 });
    const [{ message }] = at.queued.splice(0) as [(typeof at.queued)[0]];
    const { version } = await at.run((ledger) => ledger.eventsAfter(0, 1));
    expect(message).toMatchObject({ webhook: 2, upTo: version });
    // The message that the run left sends what older messages are about. They are not carried out.
    await at.send({ webhook: 2, upTo: version - 1 });
    expect(await at.cursor(2)).toMatchObject({ after: 0 });
    expect(await at.send(message)).toEqual({ sent: 0 });
    expect((await at.cursor(2)).after).toBeGreaterThan(120);
  });

  test('waits for another that sends', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*']);
    for (const question of ['A', 'B', 'C']) await addFaq(at, question);
    at.answer = async () => {
      await at.table.access.system.sleep(second);
      return {};
    };
    const results = await at.table.run(() =>
      Promise.all([
        at.carryOut(),
        at.carryOut(),
        at.table.access.system.sleep(1500).then(() => at.carryOut({ upTo: 99 })),
      ]),
    );
    expect(results.map(({ sent }) => sent).sort()).toEqual([0, 0, 3]);
    expect(results.filter(({ retryIn }) => retryIn !== undefined)).toHaveLength(2);
    expect(at.gotFrom().map(([, id]) => id)).toEqual([...new Set(at.gotFrom().map(([, id]) => id))]);
    // A run that was cut off is waited for until its time is over.
    await addFaq(at, 'D');
    await at.kill(8, 'after');
    expect(await at.send()).toEqual({ sent: 0, retryIn: 69 });
  });

  test('costs what it costs: the first event of a run, and each further one', async () => {
    const at = await SendingOrganization.found();
    await at.webhook(['faq.*', 'lead.*']);
    await at.send();
    const costOf = async (count: number, kind: 'faq' | 'lead') => {
      for (let one = 0; one < count; one++)
        await (kind === 'faq'
          ? addFaq(at, `${kind} ${count} ${one}`)
          : at.run((ledger) => createLead(ledger, { name: 'Ann Lee' })));
      const capacity = newConsumedCapacity();
      await at.send({}, {}, capacity);
      const { calls, readUnits, writeUnits } = capacity;
      return [calls, readUnits, writeUnits];
    };
    expect(await costOf(1, 'faq')).toEqual([9, 9, 3]);
    expect(await costOf(0, 'faq')).toEqual(callCosts.idleWebhook);
    const hint = newConsumedCapacity();
    await at.send({ upTo: (await at.cursor()).after }, {}, hint);
    expect(hint).toMatchObject({ calls: 1, readUnits: 1, writeUnits: 0 });
    expect(await costOf(2, 'faq')).toEqual([12, 11, 5]);
    // The receiver's answer about a lead is stored apart.
    expect(await costOf(1, 'lead')).toEqual(callCosts.delivery);
    expect(await costOf(2, 'lead')).toEqual(
      callCosts.delivery.map((cost, at) => cost + callCosts.nextDelivery[at]!),
    );
    at.answer = () => ({ failure: 'TIMEOUT' });
    expect(await costOf(1, 'lead')).toEqual(callCosts.failedAttempt);
  });
});
