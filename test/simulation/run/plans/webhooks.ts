import type { Change } from '../model/change.ts';
import { invalid, notFound, Refused, type ErrorResponse } from '../model/refusal.ts';
import { listing } from '../pages.ts';
import { changing, once, type Changing, type Plan, type WeightedPlan } from '../plan.ts';
import { asQuery, someIfMatch, someIfNoneMatch, someNumber, somePage, type Planner } from '../planner.ts';
import { without, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { deleting } from './records.ts';

const maxWebhooks = 20;
const tooMany = invalid({ field: '', message: `An organization has at most ${maxWebhooks} webhooks` });
const isDisabled: ErrorResponse = { status: 409, message: 'The webhook is disabled; enable it first' };

/** A webhook as the API shows it. */
export const shownWebhook = (webhook: Fields): Fields =>
  without(webhook, 'tokenId', 'userId', 'secrets', 'startAfter', 'restarts', 'wakes');

const someUrl = ({ draw }: Planner) => `https://receiver-${draw.whole(1, 3)}.example.com/hooks`;
const someTypes = ({ draw }: Planner) =>
  draw.pick([['*'], ['lead.*'], ['lead.created', 'inquiry.*'], ['faq.*', 'other']]);

/** The new secret of a webhook, which is random, as it is stored and as it is answered. @throws Violation */
function newSecret(change: Change, number: number) {
  const { organization, written, now } = change;
  const stored = written.get(organization.nameOf('WEBHOOK', number)) as { secrets?: Fields[] } | undefined;
  const encrypted = String(stored?.secrets?.[0]?.['encrypted']);
  const [code, secret = ''] = encrypted.split(':');
  const known = change.get('WEBHOOK', number) as { secrets?: Fields[] } | undefined;
  const isNew = !known?.secrets?.some((one) => one['encrypted'] === encrypted);
  if (code !== organization.code || !/^whsec_[\w+/]{43}=$/.test(secret) || !isNew)
    throw new Violation(
      'A secret must be new, and encrypted for its organization',
      organization.code,
      stored,
    );
  return { secret, stored: { encrypted, createdAt: now, expiresAt: null } };
}

export function createWebhook(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = draw.pick<Fields>([
    { url: someUrl(planner) },
    { url: someUrl(planner), types: someTypes(planner), description: `Receiver ${draw.whole(1, 9)}` },
  ]);
  const all = organization.collection('WEBHOOK');
  return {
    operation: 'createWebhook',
    organization,
    call: { endpoint: 'createWebhook', body: JSON.stringify(given) },
    stages: once((change) => {
      if (all.count >= maxWebhooks) throw new Refused(tooMany);
      const { secret, stored } = newSecret(change, change.next('WEBHOOK'));
      const webhook = change.append('WEBHOOK', (id) => ({
        ...{ id, types: ['*'], description: '', ...given },
        ...{ isEnabled: true, disabledAt: null, disabledReason: null },
        ...{ createdAt: change.now, updatedAt: change.now, ...actingFor(change), secrets: [stored] },
        ...{ startAfter: change.version, restarts: 0, wakes: 0 },
      }));
      change.event('WEBHOOK_CREATED', 'The webhook was created', webhook['id'] as number);
      return { webhook: shownWebhook(webhook), secret };
    }),
  };
}

/** The token that a webhook acts for from this change on, and its user. */
const actingFor = ({ sentBy, userId }: Change): Fields => ({ tokenId: sentBy['tokenId'], userId });

const woken = (webhook: Fields): Fields => ({ ...webhook, wakes: Number(webhook['wakes']) + 1 });

export function updateWebhook(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'WEBHOOK');
  const { headers, tags } = someIfMatch(planner, 'webhook', number);
  const given = draw.pick<Fields>([
    {},
    { isEnabled: false },
    { isEnabled: true },
    { url: someUrl(planner) },
    { types: someTypes(planner), description: `Receiver ${draw.whole(1, 9)}` },
  ]);
  return {
    operation: 'updateWebhook',
    organization,
    call: {
      ...{ endpoint: 'updateWebhook', params: { webhookId: String(number) } },
      ...{ body: JSON.stringify(given), headers },
    },
    ...changing({
      ...{ collection: 'WEBHOOK', number, label: 'webhook', tags, shown: shownWebhook },
      changed: (before) => ({ ...before, ...given }),
      store: (change, before, after) => {
        const [was, is] = [before['isEnabled'], after['isEnabled']];
        const state = is
          ? { disabledAt: null, disabledReason: null }
          : was
            ? { disabledAt: change.now, disabledReason: null }
            : {};
        const isMoved = after['url'] !== before['url'] || (is && !was);
        const moved = isMoved ? { ...woken(after), ...actingFor(change) } : after;
        change.event('WEBHOOK_UPDATED', 'The webhook was changed', number);
        return change.replace('WEBHOOK', number, { ...moved, ...state, updatedAt: change.now });
      },
    }),
  };
}

/** A request to a webhook. */
interface Asking {
  operation: string;
  number: number;
  /** Further ids in the path. */
  more?: Record<string, string>;
  body?: Fields;
  /** Stores what is asked for. @throws Refused */
  store: (change: Change, webhook: Fields, request: Changing) => unknown;
}

function asking({ organization }: Planner, { operation, number, more, body, store }: Asking): Plan {
  const params = { webhookId: String(number), ...more };
  return {
    operation,
    organization,
    call: { endpoint: operation, params, ...(body && { body: JSON.stringify(body) }) },
    stages: once((change, request) => {
      const webhook = change.get('WEBHOOK', number);
      if (!webhook) throw new Refused(notFound('webhook'));
      return store(change, webhook, request);
    }),
  };
}

export function rotateWebhookSecret(planner: Planner): Plan {
  const number = someNumber(planner, 'WEBHOOK');
  return asking(planner, {
    operation: 'rotateWebhookSecret',
    number,
    store: (change, webhook) => {
      const { secret, stored } = newSecret(change, number);
      const end = new Date(Date.parse(change.now) + 86_400_000).toISOString();
      const former = (webhook['secrets'] as Fields[])
        .map((one): Fields => ({ ...one, expiresAt: one['expiresAt'] ?? end }))
        .filter(({ expiresAt }) => String(expiresAt) > change.now);
      const secrets = [stored, ...former].slice(0, 5);
      const after = change.replace('WEBHOOK', number, { ...webhook, secrets, updatedAt: change.now });
      change.event('WEBHOOK_SECRET_ROTATED', 'The webhook got a new secret', number);
      change.keep('WEBHOOK', number);
      return { webhook: shownWebhook(after), secret };
    },
  });
}

export function testWebhook(planner: Planner): Plan {
  const number = someNumber(planner, 'WEBHOOK');
  return asking(planner, {
    operation: 'testWebhook',
    number,
    store: (change, webhook) => {
      if (!webhook['isEnabled']) throw new Refused(isDisabled);
      change.replace('WEBHOOK', number, woken(webhook));
      change.event('WEBHOOK_TESTED', 'The webhook is to be tested', number);
      change.note(String(change.version));
      return { eventId: change.version };
    },
  });
}

export function replayWebhook(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'WEBHOOK');
  const after = draw.whole(0, organization.version + 2);
  const beyond = (version: number) =>
    invalid({ field: 'after', message: `must be at most ${version}, the newest event` });
  return asking(planner, {
    operation: 'replayWebhook',
    number,
    body: { after },
    store: (change, webhook) => {
      if (after > change.version) throw new Refused(beyond(change.version));
      const restarts = Number(webhook['restarts']) + 1;
      change.replace('WEBHOOK', number, { ...woken(webhook), startAfter: after, restarts });
      change.event('WEBHOOK_REPLAYED', 'The webhook is to go on after another event', number);
      change.keep('WEBHOOK', number);
      return { webhook: shownWebhook(webhook) };
    },
  });
}

export function redeliverWebhook(planner: Planner): Plan {
  const { draw } = planner;
  const number = someNumber(planner, 'WEBHOOK');
  const delivery = draw.whole(1, 4);
  const plan = asking(planner, {
    operation: 'redeliverWebhook',
    number,
    more: { deliveryId: String(delivery) },
    store: (change, webhook) => {
      if (!webhook['isEnabled']) throw new Refused(isDisabled);
      const { organization, version } = change;
      const written = change.written.get(organization.nameOf('EVENT', version + 1));
      // The model has no deliveries: the event tells which event it was of.
      const { to } = (written?.['values'] ?? {}) as { to?: string };
      if (!(Number(to) >= 1 && Number(to) <= version)) throw new Refused(notFound('delivery'));
      const data = `Delivery ${delivery}, of event ${to}, is to be sent again`;
      change.replace('WEBHOOK', number, woken(webhook));
      change.event('WEBHOOK_REDELIVERED', { data, values: { from: String(delivery), to } }, number);
      change.note(String(change.version));
      return { eventId: change.version };
    },
  });
  // The model has no deliveries, so there may be none with this number, whatever the webhook is like.
  return { ...plan, refusals: () => [notFound('delivery')] };
}

/** Lists what a webhook sent. The model has no deliveries, so a page must only be a part of some list of them. */
export function listWebhookDeliveries(planner: Planner): Plan {
  const number = someNumber(planner, 'WEBHOOK');
  const query = somePage(planner, 10);
  return {
    operation: 'listWebhookDeliveries',
    organization: planner.organization,
    call: {
      ...{ endpoint: 'listWebhookDeliveries', params: { webhookId: String(number) } },
      query: asQuery(query),
    },
    check: (body, { organization: { version } }) => {
      const { deliveries, totalCount } = body as { deliveries: Fields[]; totalCount: number };
      const [newest] = deliveries;
      const isRight = deliveries.every(
        ({ id, eventId }, at) => id === Number(newest?.['id']) - at && Number(eventId) <= version,
      );
      const left = totalCount - (query.page - 1) * query.limit;
      if (!isRight || deliveries.length > Math.max(0, Math.min(query.limit, left)))
        throw new Violation('A page of deliveries must be a part of them', { version, query }, body);
    },
    refusals: (window) => (window.canMiss('WEBHOOK', number) ? [notFound('webhook')] : []),
  };
}

export function getWebhook(planner: Planner): Plan {
  const number = someNumber(planner, 'WEBHOOK');
  const { headers, tags } = someIfNoneMatch(planner, 'webhook', number);
  return {
    operation: 'getWebhook',
    organization: planner.organization,
    call: { endpoint: 'getWebhook', params: { webhookId: String(number) }, headers },
    ifNoneMatch: tags,
    unchanged: (window) => window.present('WEBHOOK', number).map((one) => ({ webhook: shownWebhook(one) })),
    refusals: (window) => (window.canMiss('WEBHOOK', number) ? [notFound('webhook')] : []),
  };
}

/** Lists webhooks by id ascending. The service reads all, and does not always read the head. */
export function listWebhooks(planner: Planner): Plan {
  const list = planner.organization.collection('WEBHOOK');
  return listing(planner, {
    ...{ operation: 'listWebhooks', list, states: (window) => window.statesByOwner(list) },
    ...{ collection: 'WEBHOOK', key: 'webhooks', fromIndex: false, shown: shownWebhook },
  });
}

export const plans: readonly WeightedPlan[] = [
  [createWebhook, 0.7],
  [updateWebhook, 1],
  [deleting({ record: 'webhook', label: 'webhook', shown: shownWebhook }), 0.4],
  [rotateWebhookSecret, 0.5],
  [testWebhook, 0.7],
  [replayWebhook, 0.4],
  [redeliverWebhook, 0.3],
  [listWebhookDeliveries, 0.5],
  [getWebhook, 0.7],
  [listWebhooks, 0.7],
];
