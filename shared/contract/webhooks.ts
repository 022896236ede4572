import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import { publicEventNames, type PublicEventName } from './events.ts';
import { line, numberInPath, pathId, recordNumber, text, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const tagDescription = 'Webhooks: what happened, sent to a server of yours';

export const webhookLabel = 'webhook';

/** Maximum number of webhooks of one organization: the head names those that are enabled. */
export const maxWebhooks = 20;

/** Reasons why the service, not a client, disabled a webhook. */
export const disabledReasons = ['GONE', 'FAILING', 'TOKEN_ENDED', 'IMPORTED'] as const;
export const DisabledReason = v.picklist(disabledReasons);
export type DisabledReason = v.InferOutput<typeof DisabledReason>;

/** Type of an event as webhooks name it: `lead.status_changed` for `LEAD_STATUS_CHANGED`. */
export const webhookTypeOf = (name: PublicEventName): string => name.toLowerCase().replace('_', '.');

const types = publicEventNames.map(webhookTypeOf);
const families = [...new Set(types.filter((type) => type.includes('.')).map((type) => type.split('.')[0]))];

const escaped = (type: string): string => type.replace(/[.*]/g, '\\$&');

/** Types that a webhook can name: single ones, those of one kind of record (`lead.*`), and all (`*`). */
export const webhookTypes: readonly string[] = ['*', ...families.map((family) => `${family}.*`), ...types];

/** True if a webhook of these types gets events of this type. */
export const isWanted = (wanted: readonly string[], type: string): boolean =>
  wanted.some(
    (one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))),
  );

/** A webhook: docs/reference.md, Webhook. */
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
  types: v.optional(v.pipe(v.array(type), v.minLength(1), v.maxLength(webhookTypes.length))),
  description: v.optional(text(500)),
});
export type NewWebhook = v.InferOutput<typeof NewWebhook>;

/** Body of a change of a webhook. Fields that are left out stay. */
export const WebhookChanges = v.strictObject({
  ...v.partial(NewWebhook).entries,
  isEnabled: v.optional(v.boolean()),
});
export type WebhookChanges = v.InferOutput<typeof WebhookChanges>;

export const WebhookPage = pageSchema('webhooks', Webhook);
export const WebhookEnvelope = v.strictObject({ webhook: Webhook });

export const descriptions = {
  DisabledReason: {
    is:
      'Why the service disabled a webhook. GONE: its receiver answered with 410; FAILING: its receiver failed for five ' +
      'days; TOKEN_ENDED: the token that it acts for was revoked or expired, and no other replaces it; IMPORTED: it came ' +
      'with the copy of an organization',
  },
  Webhook: {
    is: 'A server that gets what happens, and which types of it',
    fields: {
      url: 'Where events are sent to, by POST',
      types:
        'Which types of events it gets: single ones, all about one kind of record as `lead.*`, or all as `*`',
      description: 'A note for people; empty if there is none',
      isEnabled: 'Whether it gets events. What happens while it is disabled is sent once it is enabled again',
      disabledAt: 'When it was disabled; null while it is enabled',
      disabledReason: 'Why the service disabled it; null while it is enabled, or if a client disabled it',
    },
  },
  WebhookEnvelope: { is: 'A webhook', fields: { webhook: 'The webhook' } },
  WebhookPage: { is: 'A page of webhooks', fields: { webhooks: 'The webhooks of this page' } },
} satisfies Descriptions;

const webhookId = pathId(webhookLabel, numberInPath);

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
  summary: 'List webhooks, by id ascending',
  description: 'Those that are enabled, and those that are not.',
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
