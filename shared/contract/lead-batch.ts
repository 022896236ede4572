import * as v from 'valibot';
import { BatchCode, batchOf, BatchSummary } from './batch.ts';
import { endpoint } from './endpoint.ts';
import { count, recordId } from './fields.ts';
import { createLeadEndpoint, Lead } from './leads.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'leads';

/** Body of a batch. Each item is validated only when it is carried out. */
export const LeadBatch = v.strictObject({ leads: batchOf('NewLead') });
export type LeadBatch = v.InferOutput<typeof LeadBatch>;

export const LeadBatchSuccess = v.strictObject({ index: count, status: v.literal('ok'), lead: Lead });
export const LeadBatchFailure = v.strictObject({
  index: count,
  status: v.literal('error'),
  code: BatchCode,
  message: v.string(),
  existingId: v.optional(recordId('lead')),
});
export type LeadBatchFailure = v.InferOutput<typeof LeadBatchFailure>;

/** Result of one item of a batch. */
export const LeadBatchResult = v.variant('status', [LeadBatchSuccess, LeadBatchFailure]);
export type LeadBatchResult = v.InferOutput<typeof LeadBatchResult>;

/** Result of a batch. */
export const LeadBatchReport = v.strictObject({
  results: v.array(LeadBatchResult),
  summary: BatchSummary,
});

export const descriptions = {
  LeadBatch: {
    is: 'Several new leads',
    fields: { leads: 'The new leads, which are created in this order' },
  },
  LeadBatchSuccess: {
    is: 'A successful item of a batch',
    fields: {
      index: 'Which item of the batch it was, counted from 0',
      status: 'The lead was created',
      lead: 'The lead',
    },
  },
  LeadBatchFailure: {
    is: 'An item of a batch that failed',
    fields: {
      index: 'Which item of the batch it was, counted from 0',
      status: 'That it failed',
      code: 'Why it failed, for machines',
      message: 'Why it failed, for people, and whether anything was stored',
      existingId: 'Of a CONFLICT: the lead that has the email, phone number or `externalId` already',
    },
  },
  LeadBatchResult: { is: 'The result of one item of a batch' },
  LeadBatchReport: {
    is: 'The results of a batch',
    fields: {
      results: 'The result of each item, in the same order',
      summary: 'How many of the leads were created',
    },
  },
} satisfies Descriptions;

const {
  body: { name, email, phone, suburb, address },
  response,
} = createLeadEndpoint.example;

export const createLeadsEndpoint = endpoint({
  method: 'POST',
  path: '/v1/leads/batch',
  scope: 'leads:create',
  access: 'put',
  bringsLeads: true,
  summary: 'Create up to 100 leads',
  description:
    'Each item is what `POST /v1/leads` takes, and has a result, in the same order. A failing one undoes nothing, and keeps ' +
    'no other from being created. A lead of the organization, or an earlier item of the batch, may have the email or the ' +
    'phone number already, in any case. Then the item is a CONFLICT, and its `existingId` names that lead, for tokens that ' +
    'may read it. So a batch can be sent again after a lost answer: the stored items are a CONFLICT then. Only leads that ' +
    'have neither an email nor a phone number are created once more. The `message` of an INTERNAL_ERROR says that nothing ' +
    'of the item was stored, or that this is not known. A body of more than 100 items is refused whole, with the code ' +
    'BATCH_TOO_LARGE.',
  params: {},
  body: LeadBatch,
  responses: { 200: LeadBatchReport },
  batch: { results: 'results', in: 'lead' },
  errors: [],
  extension: true,
  example: {
    body: {
      leads: [
        { name, email, phone, suburb, address },
        { name: 'Ann', email: 'sofia.rossi@example.com' },
      ],
    },
    response: {
      results: [
        { index: 0, status: 'ok', lead: response.lead },
        {
          index: 1,
          status: 'error',
          code: 'CONFLICT',
          message: 'Another lead has this email',
          existingId: response.lead.id,
        },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
    },
  },
});
