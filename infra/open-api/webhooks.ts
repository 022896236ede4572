import { webhookEventTypes } from '../../shared/contract/webhooks.ts';
import { refTo } from './schemas.ts';

const headers = {
  'webhook-id':
    'Names the event. Each delivery of the event has the same name, and no other event of any organization has it',
  'webhook-timestamp': 'Time of this attempt, in seconds since 1970',
  'webhook-signature':
    'Signatures, with spaces between them; one of them has to fit. Each is `v1,` and the Base64 of the HMAC-SHA256 of ' +
    '`<webhook-id>.<webhook-timestamp>.<body>`. The key is the Base64 in the secret after `whsec_`',
};

const properties = {
  type: { type: 'string', enum: webhookEventTypes, description: 'What happened' },
  timestamp: { type: 'string', format: 'date-time', description: 'When it happened' },
  id: { type: 'integer', description: "The event's number, counted from 1 in the organization" },
  data: {
    description: 'The event as the feed has it, with its record',
    allOf: [
      refTo('RecordedEvent'),
      {
        type: 'object',
        properties: {
          record: {
            type: ['object', 'null'],
            description: 'The record as its own GET answers it now; null if there is none, or if it is gone',
          },
          isThin: { type: 'boolean', description: 'True if the record is over 20 KB, and so left out' },
        },
      },
    ],
  },
};

/** Description of the request that a webhook's receiver gets: docs/guides/webhooks.md. */
export const webhooks = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Send an event to the receiver of a webhook',
      description: 'In order, at least once, as the Standard Webhooks specification says.',
      'x-extension': true,
      // The signature is what a receiver checks.
      security: [],
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', required: ['type', 'timestamp', 'id', 'data'], properties },
          },
        },
      },
      responses: {
        '2XX': {
          description: 'The receiver has it. Anything else, and no answer within 15 seconds, is a failure',
        },
        410: { description: 'The receiver is gone for good: the webhook is disabled' },
      },
    },
  },
};
