import { describe, expect, test } from 'vitest';
import { TableReads } from '../../infra/admin/table/table-reads.ts';
import { realSystem } from '../../shared/core/system.ts';
import { createWebhook, disableWebhook, updateWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { events } from '../../shared/ledger/index.ts';
import { parseHead } from '../../shared/ledger/internal/head.ts';
import { headKey } from '../../shared/ledger/internal/keys.ts';
import { clientAt } from '../support/stored-organization.ts';
import { asClient, fill, newWebhook } from '../support/filled-records.ts';
import { tableAt, verifiedOrganization, type TestOrganization } from '../support/test-organization.ts';

/* `every-endpoint.test.ts`, `idempotency.full.test.ts` and `revisions.full.test.ts` have what webhooks share with other records. */

const ours = await verifiedOrganization();
const { api } = ours;

const table = tableAt();
const reads = new TableReads({ client: clientAt(table), tableName: table.tableName, system: realSystem });
const ledgerOf = (organization: TestOrganization) => organization.openLedger().ledger;
const by = ({ userId }: TestOrganization) => ({ ...asClient, userId, tokenId: 1 });

/** An organization without webhooks. */
const fresh = verifiedOrganization;
/** Body of a webhook with an address of its own. */
const another = (body = {}) => ({ ...newWebhook, url: `${newWebhook.url}/${(addresses += 1)}`, ...body });
let addresses = 0;
const create = ({ api }: TestOrganization, body = {}) => api.call('createWebhook', { body: another(body) });
const newId = async (of: TestOrganization) => (await create(of)).webhook.id;
const stored = (of: TestOrganization, webhookId: number) =>
  ledgerOf(of).get({ collection: webhooks, number: webhookId });
const newestEvent = async (of: TestOrganization) =>
  (await ledgerOf(of).page(events, { page: 1, limit: 1 })).items[0]!;
const namedIn = async ({ code }: TestOrganization) => parseHead(await reads.get(headKey(code))).named;

test('a webhook is made of what is given, and its secret is shown once', async () => {
  const organization = await fresh();
  const { webhook, secret } = await create(organization, newWebhook);
  expect(webhook).toEqual({
    id: 1,
    ...newWebhook,
    isEnabled: true,
    disabledAt: null,
    disabledReason: null,
    createdAt: webhook.createdAt,
    updatedAt: webhook.createdAt,
  });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const least = await organization.api.call('createWebhook', { body: { url: newWebhook.url } });
  expect(least.webhook).toMatchObject({ id: 2, types: ['*'], description: '' });
  expect(least.secret).not.toBe(secret);
  const read = await organization.api.answer('getWebhook', { params: { webhookId: 1 } });
  expect(read.body).toEqual({ webhook });
  expect(await organization.api.call('listWebhooks')).toMatchObject({
    webhooks: [least.webhook, webhook],
    totalCount: 2,
  });
  await organization.api.call('deleteWebhook', { params: { webhookId: 1 } });
  expect(await organization.api.call('listWebhooks')).toMatchObject({ webhooks: [least.webhook] });
  const record = await stored(organization, 2);
  expect(record).toMatchObject({ tokenId: 1, userId: organization.userId, restarts: 0, wakes: 0 });
  expect(JSON.stringify(record)).not.toContain(least.secret.slice('whsec_'.length, -1));
});

test('a token that may only create gets the secret, and the id alone', async () => {
  const organization = await fresh();
  const api = await organization.apiFor('webhooks:create');
  const { body } = await api.attempt('createWebhook', { body: newWebhook });
  expect(body).toEqual({ webhook: { id: 1 }, secret: expect.stringMatching(/^whsec_/) as string });
});

const wrongUrl = 'url must begin with https://, and have neither a port other than 443 nor a user name';
const wrongType = 'types.0 must be a type of events, such as lead.created, lead.* or *';

test.each([
  [wrongUrl, { url: 'http://crm.example.com/hooks' }],
  [wrongUrl, { url: 'https://crm.example.com:8443/hooks' }],
  [wrongUrl, { url: 'https://ann:secret@crm.example.com/hooks' }],
  [wrongUrl, { url: 'https://ann@crm.example.com/hooks' }],
  [wrongUrl, { url: 'ftp://127.0.0.1/hooks' }],
  [wrongUrl, { url: 'javascript:alert(1)' }],
  [wrongType, { types: ['LEAD_CREATED'] }],
  [wrongType, { types: ['lead.made'] }],
])('it is refused where %s: %j', async (problem, body) => {
  await api.refuses('createWebhook', { body: { ...newWebhook, ...body } }, problem);
  const webhookId = 1;
  if ((await api.call('listWebhooks')).totalCount === 0) await create(ours);
  await api.refuses('updateWebhook', { params: { webhookId }, body }, problem);
});

test.each([
  'http://127.0.0.1:9000/hooks',
  'http://localhost/hooks',
  'http://[::1]:80/hooks',
  'https://localhost:8443/',
])('%s is a receiver of a local machine alone', async (url) => {
  const ledger = ledgerOf(ours);
  const input = { ...newWebhook, url };
  await expect(createWebhook(ledger, input, by(ours))).rejects.toThrow(wrongUrl);
  const { webhook } = await createWebhook(ledger, input, { ...by(ours), reachesLoopback: true });
  expect(webhook.url).toBe(url);
});

test('types are kept once each, and none are all', async () => {
  const { webhook } = await create(ours, { types: ['lead.*', 'other', 'lead.*', 'faq.created'] });
  expect(webhook.types).toEqual(['lead.*', 'other', 'faq.created']);
  const none = { params: { webhookId: webhook.id }, body: { types: [] } };
  expect((await ours.api.call('updateWebhook', none)).webhook.types).toEqual(['*']);
  expect((await create(ours, { types: [] })).webhook.types).toEqual(['*']);
});

test('one enabled webhook alone has its address and types', async () => {
  const organization = await fresh();
  const { api } = organization;
  const types = ['lead.*', 'faq.*'];
  const body = { url: 'https://127.0.0.1/hooks', types };
  await create(organization, body);
  expect((await create(organization, { ...body, types: ['lead.*'] })).webhook.id).toBe(2);
  const refused = { message: 'Another webhook has this url with these types', existingId: 1 };
  const again = { ...body, url: 'HTTPS://127.0.0.1:443/hooks#a', types: types.toReversed() };
  expect(await api.failure('createWebhook', 409, { body: again })).toMatchObject(refused);
  const change = (webhookId: number, changes: object) => ({ params: { webhookId }, body: changes });
  expect(await api.failure('updateWebhook', 409, change(2, { types }))).toMatchObject(refused);
  await api.call('updateWebhook', change(1, { isEnabled: false }));
  await api.call('updateWebhook', change(2, { types }));
  const enabledAgain = await api.failure('updateWebhook', 409, change(1, { isEnabled: true }));
  expect(enabledAgain).toMatchObject({ ...refused, existingId: 2 });
  await disableWebhook(ledgerOf(organization), await stored(organization, 2), 'FAILING');
  await api.call('updateWebhook', change(1, { isEnabled: true }));
});

describe('a change', () => {
  const update = async (of: TestOrganization, webhookId: number, body: object, { api } = of) =>
    (await api.call('updateWebhook', { params: { webhookId }, body })).webhook;

  test('keeps what is left out, and is the same as was read where nothing changes', async () => {
    const { webhook } = await create(ours);
    const after = await update(ours, webhook.id, { types: ['*'] });
    expect(after).toEqual({ ...webhook, types: ['*'], updatedAt: after.updatedAt });
    const before = await newestEvent(ours);
    expect(await update(ours, webhook.id, after)).toEqual(after);
    expect(await newestEvent(ours)).toEqual(before);
  });

  test('pauses a webhook, and lets it go on', async () => {
    const { webhook } = await create(ours);
    const paused = await update(ours, webhook.id, { isEnabled: false });
    expect(paused).toMatchObject({ isEnabled: false, disabledAt: paused.updatedAt, disabledReason: null });
    expect((await update(ours, webhook.id, { description: 'Paused' })).disabledAt).toBe(paused.disabledAt);
    const { wakes } = await stored(ours, webhook.id);
    const going = await update(ours, webhook.id, { isEnabled: true });
    expect(going).toMatchObject({ isEnabled: true, disabledAt: null, disabledReason: null });
    expect((await stored(ours, webhook.id)).wakes).toBe(wakes + 1);
  });

  test.each([
    ['another address', { url: 'https://127.0.0.1/other' }, 2],
    ['being enabled again', { isEnabled: true }, 2],
    ['other types', { types: ['*'] }, 1],
    ['the same address', { url: newWebhook.url, description: 'Same' }, 1],
  ])('to %s by another token: whose rights count', async (_, body, tokenId) => {
    const organization = await fresh();
    const { id } = (await create(organization, newWebhook)).webhook;
    if ('isEnabled' in body) await update(organization, id, { isEnabled: false });
    const narrow = await organization.apiFor('webhooks:write', 'webhooks:read');
    const { wakes } = await stored(organization, id);
    await update(organization, id, body, { api: narrow } as TestOrganization);
    expect(await stored(organization, id)).toMatchObject({ tokenId, wakes: wakes + tokenId - 1 });
  });

  test('cannot enable one without a secret', async () => {
    const id = await newId(ours);
    const ref = { collection: webhooks, number: id };
    await ledgerOf(ours).write({ change: { webhook: ref } }, (write, { webhook }) => {
      write.replace(ref, {
        ...webhook,
        isEnabled: false,
        disabledReason: 'IMPORTED',
        secrets: [],
        tokenId: null,
      });
      write.event({ event: 'TEST', data: 'Imported', referenceId: String(id) });
    });
    const params = { webhookId: id };
    const { message } = await api.failure('updateWebhook', 409, {
      params,
      body: { isEnabled: true },
    });
    expect(message).toBe('The webhook has no secret; rotate its secret first');
    await api.call('rotateWebhookSecret', { params });
    await update(ours, id, { isEnabled: true });
    expect(await stored(ours, id)).toMatchObject({ disabledReason: null, tokenId: 1 });
  });
});

test('the head names the webhooks that are enabled, and none once none is', async () => {
  const organization = await fresh();
  expect(await namedIn(organization)).toBeUndefined();
  const ledger = ledgerOf(organization);
  const [first, second, third] = [
    await newId(organization),
    await newId(organization),
    await newId(organization),
  ];
  expect(await namedIn(organization)).toEqual({ WEBHOOK: '1 2 3' });
  await updateWebhook(ledger, first, { isEnabled: false }, by(organization));
  await organization.api.call('deleteWebhook', { params: { webhookId: second } });
  expect(await namedIn(organization)).toEqual({ WEBHOOK: '3' });
  await updateWebhook(ledger, first, { isEnabled: true }, by(organization));
  await updateWebhook(ledger, third, { description: 'Still enabled' }, by(organization));
  expect(await namedIn(organization)).toEqual({ WEBHOOK: '1 3' });
  for (const id of [first, third, first])
    await disableWebhook(ledger, await stored(organization, id), 'GONE');
  expect(await namedIn(organization)).toBeUndefined();
  expect(await newestEvent(organization)).toMatchObject({
    event: 'WEBHOOK_DISABLED',
    referenceId: String(third),
    data: 'The webhook was disabled: its receiver answered with 410',
  });
  const { webhook } = await organization.api.call('getWebhook', { params: { webhookId: third } });
  expect(webhook).toMatchObject({ disabledAt: webhook.updatedAt, disabledReason: 'GONE' });
});

describe('a rotation', () => {
  test('keeps the secret before it for a day, and five at most', async () => {
    const params = { webhookId: await newId(ours) };
    const { webhook, secret } = await api.call('rotateWebhookSecret', { params });
    expect(secret).toMatch(/^whsec_/);
    const [newest, former, ...others] = (await stored(ours, params.webhookId)).secrets;
    expect([newest!.expiresAt, others]).toEqual([null, []]);
    expect(newest!.createdAt).toBe(webhook.updatedAt);
    expect(Date.parse(former!.expiresAt!) - Date.parse(newest!.createdAt)).toBe(86_400_000);
    await api.call('rotateWebhookSecret', { params });
    expect((await stored(ours, params.webhookId)).secrets[2]).toEqual(former);
    for (let times = 0; times < 4; times++) await api.call('rotateWebhookSecret', { params });
    expect((await stored(ours, params.webhookId)).secrets).toHaveLength(5);
    expect(await newestEvent(ours)).toMatchObject({
      event: 'WEBHOOK_SECRET_ROTATED',
      referenceId: String(params.webhookId),
    });
  });

  test('drops what has expired', async () => {
    const params = { webhookId: await newId(ours) };
    const ref = { collection: webhooks, number: params.webhookId };
    await api.call('rotateWebhookSecret', { params });
    await ledgerOf(ours).write({ change: { webhook: ref } }, (write, { webhook }) => {
      const secrets = webhook.secrets.map((one) => ({ ...one, expiresAt: one.expiresAt && write.now }));
      write.replace(ref, { ...webhook, secrets });
      write.event({ event: 'TEST', data: 'A day later', referenceId: String(params.webhookId) });
    });
    await api.call('rotateWebhookSecret', { params });
    expect((await stored(ours, params.webhookId)).secrets).toHaveLength(2);
  });
});

describe('a request with a key, sent again once the webhook has changed, has its id alone', () => {
  test.each([
    ['createWebhook', { body: newWebhook }, 201],
    ['rotateWebhookSecret', { params: { webhookId: 1 } }, 200],
    ['replayWebhook', { params: { webhookId: 1 }, body: { after: 0 } }, 200],
  ] as const)('%s', async (operation, parts, status) => {
    const organization = await fresh();
    const { api } = organization;
    if (operation !== 'createWebhook') await newId(organization);
    const send = () => api.answer(operation, { ...parts, headers: { 'Idempotency-Key': 'k' } });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    await api.call('updateWebhook', { params: { webhookId: 1 }, body: { description: 'Other' } });
    const again = await send();
    expect([again.status, again.body]).toEqual([status, { webhook: { id: 1 } }]);
  });
});

test('a test is an event about the webhook, which wakes the sender', async () => {
  const params = { webhookId: await newId(ours) };
  const before = await stored(ours, params.webhookId);
  const { eventId } = await api.call('testWebhook', { params });
  expect(await newestEvent(ours)).toMatchObject({
    id: eventId,
    event: 'WEBHOOK_TESTED',
    referenceId: String(params.webhookId),
  });
  expect(await stored(ours, params.webhookId)).toEqual({ ...before, wakes: before.wakes + 1 });
  await api.call('updateWebhook', { params, body: { isEnabled: false } });
  const { message } = await api.failure('testWebhook', 409, { params });
  expect(message).toBe('The webhook is disabled; enable it first');
});

test('a replay goes back or forward, and not beyond the newest event', async () => {
  const params = { webhookId: await newId(ours) };
  const { id: newest } = await newestEvent(ours);
  const before = await stored(ours, params.webhookId);
  expect(before.startAfter).toBe(newest - 1);
  await api.refuses(
    'replayWebhook',
    { params, body: { after: newest + 1 } },
    `after must be at most ${newest}, the newest event`,
  );
  for (const [times, after] of [0, newest].entries()) {
    const { webhook } = await api.call('replayWebhook', { params, body: { after } });
    expect(webhook).toEqual((await api.call('getWebhook', { params })).webhook);
    const changes = { startAfter: after, restarts: times + 1, wakes: times + 1 };
    expect(await stored(ours, params.webhookId)).toEqual({ ...before, ...changes });
  }
  expect(await newestEvent(ours)).toMatchObject({
    event: 'WEBHOOK_REPLAYED',
    referenceId: String(params.webhookId),
  });
});

describe('deliveries', () => {
  const deliveryOf = async (of: TestOrganization) => {
    const records = await fill(of);
    const { webhookId } = records;
    const list = (query = {}) => of.api.call('listWebhookDeliveries', { params: { webhookId }, query });
    return { ...records, list };
  };

  test('are listed newest first, with what the receiver answered until the lead is erased', async () => {
    const organization = await fresh();
    const { list, leadId, webhookId } = await deliveryOf(organization);
    const { deliveries, totalCount } = await list();
    const { at } = deliveries[0]!.attempts[0]!;
    expect({ deliveries, totalCount }).toEqual({
      totalCount: 1,
      deliveries: [
        {
          id: 1,
          eventId: deliveries[0]!.eventId,
          type: 'lead.created',
          status: 'DELIVERED',
          attempts: [{ at, status: 200, failure: null, milliseconds: 12, body: 'Thanks' }],
        },
      ],
    });
    expect(await list({ page: 2, limit: 1 })).toMatchObject({ deliveries: [], totalPages: 1 });
    const narrow = await organization.apiFor('webhooks:read');
    const seen = await narrow.call('listWebhookDeliveries', { params: { webhookId } });
    expect(seen.deliveries[0]!.attempts[0]).toMatchObject({ status: 200, body: '' });
    // A run of the sender is waited for.
    for (let done = false; !done;)
      ({ done } = await organization.api.call('eraseLead', { params: { leadId } }));
    expect((await list()).deliveries[0]!.attempts[0]).toMatchObject({ status: 200, body: '' });
  });

  test('are sent again by an event that names the delivery and its event', async () => {
    const organization = await fresh();
    const { list, webhookId, deliveryId } = await deliveryOf(organization);
    const { eventId } = (await list()).deliveries[0]!;
    const params = { webhookId, deliveryId };
    const before = await stored(organization, webhookId);
    const asked = await organization.api.call('redeliverWebhook', { params });
    expect(await newestEvent(organization)).toMatchObject({
      id: asked.eventId,
      event: 'WEBHOOK_REDELIVERED',
      referenceId: String(webhookId),
      data: `Delivery ${deliveryId}, of event ${eventId}, is to be sent again`,
      values: { from: String(deliveryId), to: String(eventId) },
    });
    expect((await stored(organization, webhookId)).wakes).toBe(before.wakes + 1);
    await organization.api.call('updateWebhook', {
      params: { webhookId },
      body: { isEnabled: false },
    });
    const { message } = await organization.api.failure('redeliverWebhook', 409, { params });
    expect(message).toBe('The webhook is disabled; enable it first');
  });
});
