import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordId } from './fields.ts';
import { leadLabel } from './leads.ts';
import type { Descriptions } from './descriptions.ts';

export const subject = 'leads';

/** Messages for an erasure that is complete, and for one that is not. */
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
    'Removes the lead, unless it was deleted before, and then its inquiries, what their sources recorded, and its messages, ' +
    'whatever else the token may do with those. A request does a bounded part of that: ask again until `done` is true, as it then is ever after. What is half done, as ' +
    'after a 503, goes on with the next request. Webhooks that are sending something of it are waited for: nothing of it is sent ' +
    'once `done` is true, and what their receivers answered about it is gone. Of the lead there remain events that say what happened to which id, ' +
    "without anyone's data, and an opt-out of its number, which holds the number as a keyed hash.",
  params: {
    leadId: {
      label: leadLabel,
      schema: v.pipe(recordId('lead'), v.description("The lead's id, also of one that was deleted")),
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
