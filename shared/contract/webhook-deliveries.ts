import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import { count, numberInPath, pathId, recordNumber, timestamp } from './fields.ts';
import { OnlyPageQuery, pageExample, pageSchema } from './pagination.ts';
import { webhookId, WebhookAsked } from './webhooks.ts';

export const subject = 'webhooks';

export const deliveryLabel = 'delivery';

export const DeliveryStatus = v.picklist(['DELIVERED', 'RETRYING']);

/** Reasons why a receiver gave no answer. */
export const AttemptFailure = v.picklist(['ADDRESS', 'CONNECTION', 'TIMEOUT', 'TLS']);

/** One try of a delivery. */
export const DeliveryAttempt = v.strictObject({
  at: timestamp,
  status: v.nullable(count),
  failure: v.nullable(AttemptFailure),
  milliseconds: count,
  body: v.string(),
});

/** An event that was sent to a webhook: docs/reference/webhooks.md. */
export const Delivery = v.strictObject({
  id: recordNumber,
  eventId: recordNumber,
  type: v.string(),
  status: DeliveryStatus,
  attempts: v.array(DeliveryAttempt),
});
export type Delivery = v.InferOutput<typeof Delivery>;

export const DeliveryPage = pageSchema('deliveries', Delivery);

export const descriptions = {
  DeliveryStatus: { is: 'DELIVERED: the receiver took it. RETRYING: it did not, up to now' },
  AttemptFailure: {
    is:
      'Why a receiver gave no answer. ADDRESS: the name of the receiver has no address, or only forbidden addresses. ' +
      'CONNECTION: the receiver took no connection, or broke it off. TIMEOUT: it took too long. TLS: its certificate is wrong',
  },
  DeliveryAttempt: {
    is: 'One try of a delivery',
    fields: {
      at: 'When it was sent',
      status: 'The HTTP status of the answer; null if there was none',
      failure: 'Why there was no answer; null if there was one',
      milliseconds: 'How long it took',
      body:
        'The first 1,000 characters of the answer. Empty if a lead was sent that has been erased since, and for a token that ' +
        'cannot read every kind of record',
    },
  },
  Delivery: {
    is: 'An event that was sent to a webhook',
    fields: {
      id: "The delivery's number. A webhook's deliveries are numbered from 1",
      eventId: 'The number of the event',
      type: 'The type of the event, such as `lead.created`',
      status: 'Whether it arrived',
      attempts: 'Every try, the first one first',
    },
  },
  DeliveryPage: {
    is: 'A page of deliveries',
    fields: { deliveries: 'The deliveries of this page' },
  },
} satisfies Descriptions;

const example = {
  id: 12,
  eventId: 7,
  type: 'lead.created',
  status: 'DELIVERED',
  attempts: [
    { at: '2026-11-02T13:00:00.120Z', status: 200, failure: null, milliseconds: 84, body: 'Thanks' },
  ],
};

export const listWebhookDeliveriesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhookId}/deliveries',
  scope: 'webhooks:read',
  access: ['GetItem', 'Query', 'BatchGetItem'],
  summary: 'List the deliveries of a webhook, newest first',
  description: 'Of the last 30 days, each with all its tries.',
  params: { webhookId },
  query: OnlyPageQuery,
  responses: { 200: DeliveryPage },
  errors: [404],
  extension: true,
  example: { params: { webhookId: '1' }, ...pageExample('deliveries', example) },
});

export const redeliverWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
  scope: 'webhooks:write',
  access: 'put',
  summary: 'Send a delivery of a webhook again',
  description:
    'The event of a delivery is sent once more, with the present record and the same `webhook-id`. It is another delivery, ' +
    'in order after all earlier events. A 409 while the webhook is disabled.',
  params: { webhookId, deliveryId: pathId(deliveryLabel, numberInPath) },
  responses: { 200: WebhookAsked },
  errors: [404, 409],
  extension: true,
  example: { params: { webhookId: '1', deliveryId: '12' }, response: { eventId: 8 } },
});
