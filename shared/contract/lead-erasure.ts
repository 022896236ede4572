import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordId } from './fields.ts';
import { leadLabel } from './leads.ts';
import type { Descriptions } from './descriptions.ts';

export const subject = 'leads';

/** Messages of an erasure: complete, or to be continued. */
export const erasureMessages = {
  done: 'Lead erased successfully',
  notDone: 'The lead is not erased yet: ask again until it is',
} as const;

export const ErasureMessage = v.picklist(Object.values(erasureMessages));

/** Progress of the erasure of a lead. */
export const LeadErasure = v.strictObject({
  message: ErasureMessage,
  done: v.boolean(),
});
export type LeadErasure = v.InferOutput<typeof LeadErasure>;

export const descriptions = {
  ErasureMessage: { is: 'Whether all of a lead is gone, as a sentence for people' },
  LeadErasure: {
    is: 'How far the erasure of a lead has come',
    fields: {
      message: 'Whether all of it is gone, as a sentence for people',
      done: 'Whether all of it is gone; with `false`, ask again',
    },
  },
} satisfies Descriptions;

export const eraseLeadEndpoint = endpoint({
  method: 'POST',
  path: '/v1/leads/{leadId}/erase',
  scope: 'leads:write',
  access: ['GetItem', 'Query', 'Query list', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem answer'],
  summary: 'Erase a lead with its inquiries and messages',
  description:
    "Removes the lead, unless it is deleted already. Then it removes the lead's inquiries, their `data`, and its messages. " +
    'No scope of inquiries or messages is needed. A request removes a bounded part: ask again until `done` is true. From ' +
    'then on it is always true. After a 503 the next request goes on where the last one ended. The erasure waits for webhooks ' +
    "that are sending data of the lead. Once `done` is true, no data of the lead is sent, and the receivers' answers about " +
    "the lead are gone. Two things remain: events with the lead's id and without anyone's data, and an opt-out of its number. " +
    'The opt-out holds the number as a keyed hash.',
  params: {
    leadId: {
      label: leadLabel,
      schema: v.pipe(recordId('lead'), v.description("The lead's id, also if the lead is deleted")),
    },
  },
  responses: { 200: LeadErasure },
  errors: [404],
  extension: true,
  example: {
    params: { leadId: 'lead_6H8EV88000000005' },
    response: { message: erasureMessages.done, done: true },
  },
});
