import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import { publicEventNames, type PublicEventName } from './events.ts';
import { largestNumber } from '../core/ids.ts';
import {
  count,
  line,
  numberInPath,
  pathId,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
} from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const tagDescription = 'Webhooks: what happened, sent to a server of yours';

export const webhookLabel = 'webhook';

/** Maximum number of webhooks of one organization. The head names the enabled webhooks, so it must be small. */
export const maxWebhooks = 20;

/** Reasons why the service, not a client, disabled a webhook. */
export const disabledReasons = ['GONE', 'FAILING', 'TOKEN_ENDED', 'IMPORTED'] as const;
export const DisabledReason = v.picklist(disabledReasons);
export type DisabledReason = v.InferOutput<typeof DisabledReason>;

/** Type of an event in webhooks: `lead.status_changed` for `LEAD_STATUS_CHANGED`. */
export const webhookTypeOf = (name: PublicEventName): string => name.toLowerCase().replace('_', '.');

/** Types of events in webhooks. */
export const webhookEventTypes: readonly string[] = publicEventNames.map(webhookTypeOf);
const families = [
  ...new Set(webhookEventTypes.filter((type) => type.includes('.')).map((type) => type.split('.')[0])),
];

// A class for the asterisk, because not every engine reads `\*`.
const escaped = (type: string): string => type.replace('.', '\\.').replace('*', '[*]');

/** Types that a webhook can name: one type, all types of one kind of record (`lead.*`), or all types (`*`). */
export const webhookTypes: readonly string[] = [
  '*',
  ...families.map((family) => `${family}.*`),
  ...webhookEventTypes,
];

/** True if a webhook with the wanted types gets events of this type. */
export const isWanted = (wanted: readonly string[], type: string): boolean =>
  wanted.some(
    (one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))),
  );

/** A webhook: docs/reference/webhooks.md. */
export const Webhook = v.strictObject({
  id: recordNumber,
  url: v.string(),
  types: v.array(v.string()),
  description: v.string(),
  isEnabled: v.boolean(),
  disabledAt: v.nullable(timestamp),
  disabledReason: v.nullable(DisabledReason),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Webhook = v.InferOutput<typeof Webhook>;

const url = v.pipe(
  line(2000),
  v.check((value) => URL.canParse(value), 'must be a URL'),
  v.metadata({ format: 'uri', minLength: 1 }),
);

const type = v.pipe(
  v.string(),
  v.regex(
    new RegExp(`^(?:${webhookTypes.map(escaped).join('|')})$`),
    'must be a type of events, such as lead.created, lead.* or *',
  ),
);

export const NewWebhook = v.strictObject({
  url,
  types: v.optional(v.pipe(v.array(type), v.maxLength(webhookTypes.length))),
  description: v.optional(text(500)),
});
export type NewWebhook = v.InferOutput<typeof NewWebhook>;

/** Body of a change of a webhook. Fields that are left out stay. */
export const WebhookChanges = v.strictObject({
  ...v.partial(NewWebhook).entries,
  isEnabled: v.optional(v.boolean()),
});
export type WebhookChanges = v.InferOutput<typeof WebhookChanges>;

/** Body of a replay: the webhook goes on after the event with this number. */
export const WebhookReplay = v.strictObject({ after: v.pipe(count, v.maxValue(largestNumber)) });
export type WebhookReplay = v.InferOutput<typeof WebhookReplay>;

export const WebhookPage = pageSchema('webhooks', Webhook);
export const WebhookEnvelope = v.strictObject({ webhook: Webhook });
export const WebhookWithSecret = v.strictObject({ webhook: Webhook, secret: v.string() });
export const WebhookDeleted = v.strictObject({ message: v.literal('Webhook deleted successfully') });
/** The event that records the request for a test or a redelivery. */
export const WebhookAsked = v.strictObject({ eventId: recordNumber });

export const descriptions = {
  DisabledReason: {
    is:
      'Why the service disabled a webhook. GONE: its receiver answered with 410. FAILING: its receiver failed for five days. ' +
      'TOKEN_ENDED: its token was revoked or expired, and no other token replaces it. IMPORTED: it came with the copy of an ' +
      'organization',
  },
  Webhook: {
    is: 'A server that gets what happens, and which types of it',
    fields: {
      url: 'Where events are sent to, by POST',
      types:
        'Which types of events it gets: single ones, all about one kind of record as `lead.*`, or all as `*`',
      description: 'A note for people; empty if there is none',
      isEnabled:
        'Whether it gets events. Events of the time when it is disabled are sent once it is enabled again',
      disabledAt: 'When it was disabled; null while it is enabled',
      disabledReason: 'Why the service disabled it; null while it is enabled, or if a client disabled it',
    },
  },
  NewWebhook: {
    is: 'The body to create a webhook',
    like: 'Webhook',
    fields: {
      url: 'Where to send events to: it begins with `https://`, and has neither a port other than 443 nor a user name',
      types: 'Which types of events to send; `*`, all, when not given. An empty array is as not given',
    },
  },
  WebhookChanges: {
    is: 'The body to change a webhook',
    like: 'NewWebhook',
    fields: {
      types: 'Which types of events to send. An empty array is as not given: some clients send one',
      isEnabled: 'False to pause it, true to let it go on where it stopped',
    },
  },
  WebhookReplay: {
    is: 'Where a webhook is to go on',
    fields: { after: 'The number of the event after which it goes on; 0 for all events' },
  },
  WebhookWithSecret: {
    is: 'A webhook with the secret that it has just got',
    fields: {
      webhook: 'The webhook',
      secret: 'The secret that verifies messages of this service. The secret is not shown again',
    },
  },
  WebhookDeleted: {
    is: 'The answer to the deletion of a webhook',
    fields: { message: 'Always the same sentence' },
  },
  WebhookAsked: {
    is: 'The answer to a test or a redelivery',
    fields: { eventId: 'The number of the event that asks for it' },
  },
  WebhookEnvelope: { is: 'A webhook', fields: { webhook: 'The webhook' } },
  WebhookPage: { is: 'A page of webhooks', fields: { webhooks: 'The webhooks of this page' } },
} satisfies Descriptions;

export const webhookId = pathId(webhookLabel, numberInPath);

const example = {
  id: 1,
  url: 'https://crm.example.com/hooks/sales',
  types: ['lead.*', 'inquiry.created'],
  description: 'To the CRM',
  isEnabled: true,
  disabledAt: null,
  disabledReason: null,
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

export const listWebhooksEndpoint = endpoint({
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  access: 'readPage',
  summary: 'List webhooks, newest first',
  description: 'Enabled and disabled webhooks.',
  params: {},
  query: PageQuery,
  responses: { 200: WebhookPage },
  errors: [],
  extension: true,
  example: pageExample('webhooks', example),
});

export const getWebhookEndpoint = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhookId}',
  scope: 'webhooks:read',
  access: 'get',
  summary: 'Read a webhook',
  description: 'Without its secret, which is shown once.',
  params: { webhookId },
  responses: { 200: WebhookEnvelope },
  record: { in: 'webhook' },
  errors: [404],
  extension: true,
  example: { params: { webhookId: '1' }, response: { webhook: example } },
});

const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const createWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'webhooks:create',
  access: 'putAndUpdate',
  uses: 'secrets',
  summary: 'Create a webhook',
  description:
    'The `secret` is shown once. The webhook gets the events that its token may read. An organization has at most ' +
    `${maxWebhooks} webhooks. If an enabled webhook has this \`url\` with these \`types\` already, the answer is a 409, and ` +
    '`error.existingId` names that webhook.',
  params: {},
  body: NewWebhook,
  readOnly: readOnlyFields(Webhook, NewWebhook),
  responses: { 201: WebhookWithSecret },
  record: { in: 'webhook' },
  errors: [409],
  extension: true,
  example: {
    body: { url: example.url, types: example.types, description: example.description },
    response: { webhook: example, secret: exampleSecret },
  },
});

export const updateWebhookEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/webhooks/{webhookId}',
  scope: 'webhooks:write',
  access: 'putUpdateAndDelete',
  summary: 'Change, pause or enable a webhook',
  description:
    'Fields that are left out stay unchanged. With another `url`, or once it is enabled again, the webhook gets what the ' +
    'token of this request may read. Without a secret it cannot be enabled: a 409. It is a 409 also if ' +
    'another enabled webhook has the `url` with the `types`; `error.existingId` names that webhook.',
  params: { webhookId },
  body: WebhookChanges,
  readOnly: readOnlyFields(Webhook, WebhookChanges),
  responses: { 200: WebhookEnvelope },
  record: { in: 'webhook' },
  errors: [404, 409],
  extension: true,
  example: {
    params: { webhookId: '1' },
    body: { isEnabled: false },
    response: {
      webhook: {
        ...example,
        isEnabled: false,
        disabledAt: '2026-11-03T09:30:00.000Z',
        updatedAt: '2026-11-03T09:30:00.000Z',
      },
    },
  },
});

export const deleteWebhookEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/webhooks/{webhookId}',
  scope: 'webhooks:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a webhook',
  description: 'To stop it for a while, set `isEnabled` to false instead.',
  params: { webhookId },
  responses: { 200: WebhookDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { webhookId: '1' }, response: { message: 'Webhook deleted successfully' } },
});

export const rotateWebhookSecretEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhookId}/rotate-secret',
  scope: 'webhooks:write',
  access: 'put',
  uses: 'secrets',
  summary: 'Replace the secret of a webhook',
  description:
    'The `secret` is shown once. The one before it signs for another 24 hours, too: change it in the receiver meanwhile. Of ' +
    'several rotations in a day, the newest five secrets sign.',
  params: { webhookId },
  responses: { 200: WebhookWithSecret },
  record: { in: 'webhook' },
  errors: [404],
  extension: true,
  example: {
    params: { webhookId: '1' },
    response: { webhook: { ...example, updatedAt: '2026-11-03T09:30:00.000Z' }, secret: exampleSecret },
  },
});

export const testWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhookId}/test',
  scope: 'webhooks:write',
  access: 'put',
  summary: 'Send a test event to a webhook',
  description:
    'The webhook gets the event `webhook.tested`, whatever its `types` are, in order after all earlier events. A 409 ' +
    'while the webhook is disabled.',
  params: { webhookId },
  responses: { 200: WebhookAsked },
  errors: [404, 409],
  extension: true,
  example: { params: { webhookId: '1' }, response: { eventId: 7 } },
});

export const replayWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhookId}/replay',
  scope: 'webhooks:write',
  access: 'put',
  summary: 'Move a webhook back or forward to another event',
  description:
    'A lower number sends events again; a higher number skips events. `after` beyond the newest event is a 400.',
  params: { webhookId },
  body: WebhookReplay,
  responses: { 200: WebhookEnvelope },
  record: { in: 'webhook' },
  errors: [404],
  extension: true,
  example: { params: { webhookId: '1' }, body: { after: 6 }, response: { webhook: example } },
});
