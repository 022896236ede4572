import * as v from 'valibot';
import { Appointment } from './appointments.ts';
import { Category } from './categories.ts';
import { Company } from './companies.ts';
import { CompanyNote } from './company-notes.ts';
import { Faq } from './faqs.ts';
import { Inquiry } from './inquiries.ts';
import { Invitation } from './invitations.ts';
import { Lead } from './leads.ts';
import { Organization } from './organization-settings.ts';
import { Policy } from './policies.ts';
import { Product } from './products.ts';
import { Scenario } from './scenarios.ts';
import { Service } from './services.ts';
import { Transfer } from './transfers.ts';
import { Webhook } from './webhooks.ts';
import { Member } from './organization.ts';
import { endpoint } from './endpoint.ts';
import { RecordId } from './errors.ts';
import { isRecordType, publicEventNames, recordTypes } from './events.ts';
import { count, recordNumber, timestamp } from './fields.ts';
import { PageQuery } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const subject = 'events';

export const tagDescription = 'Every change of the organization, in order, for copies that keep in step';

export const EventType = v.picklist(publicEventNames);

export const RecordType = v.picklist(Object.keys(recordTypes).filter(isRecordType));
type RecordType = v.InferOutput<typeof RecordType>;

export const EventInclusion = v.picklist(['records']);

/** A record that a write changed, or that shows a changed record as a part of itself. */
export const ChangedRecord = v.strictObject({
  type: RecordType,
  id: RecordId,
  revision: recordNumber,
  isRemoved: v.boolean(),
});
export type ChangedRecord = v.InferOutput<typeof ChangedRecord>;

/** An event: docs/reference/events.md. */
export const RecordedEvent = v.strictObject({
  id: recordNumber,
  type: EventType,
  createdAt: timestamp,
  userId: v.string(),
  tokenId: v.nullable(recordNumber),
  requestId: v.nullable(v.string()),
  recordId: v.exactOptional(RecordId),
  summary: v.string(),
  changedFields: v.exactOptional(v.array(v.string())),
  write: recordNumber,
  changed: v.array(ChangedRecord),
});
export type RecordedEvent = v.InferOutput<typeof RecordedEvent>;

/** The present state of a record, as in the answer to a GET by its id, and its `ETag`; both null if the record is gone. */
const shown = <T extends RecordType, S extends v.GenericSchema>(type: T, record: S) =>
  v.strictObject({
    type: v.literal(type),
    id: RecordId,
    record: v.nullable(record),
    etag: v.nullable(v.string()),
  });
export const ShownLead = shown('lead', Lead);
export const ShownInquiry = shown('inquiry', Inquiry);
export const ShownCompany = shown('company', Company);
export const ShownNote = shown('note', CompanyNote);
export const ShownOrganization = shown('organization', Organization);
export const ShownMember = shown('member', Member);
export const ShownInvitation = shown('invitation', Invitation);
export const ShownCategory = shown('category', Category);
export const ShownService = shown('service', Service);
export const ShownScenario = shown('scenario', Scenario);
export const ShownProduct = shown('product', Product);
export const ShownTransfer = shown('transfer', Transfer);
export const ShownPolicy = shown('policy', Policy);
export const ShownFaq = shown('faq', Faq);
export const ShownAppointment = shown('appointment', Appointment);
export const ShownWebhook = shown('webhook', Webhook);

/** The present state of a record in `changed`. */
export const ShownRecord = v.variant('type', [
  ShownLead,
  ShownInquiry,
  ShownCompany,
  ShownNote,
  ShownOrganization,
  ShownMember,
  ShownInvitation,
  ShownCategory,
  ShownService,
  ShownScenario,
  ShownProduct,
  ShownTransfer,
  ShownPolicy,
  ShownFaq,
  ShownAppointment,
  ShownWebhook,
]);
export type ShownRecord = v.InferOutput<typeof ShownRecord>;

export const EventPage = v.strictObject({
  events: v.array(RecordedEvent),
  records: v.array(ShownRecord),
  nextAfter: count,
  version: count,
  epoch: v.string(),
});
export type EventPage = v.InferOutput<typeof EventPage>;

const anyType = `(?:${publicEventNames.join('|')})`;

/** Query of the events. */
export const EventQuery = v.object({
  after: v.pipe(
    v.optional(v.string(), '0'),
    v.regex(
      /^(?:0|[1-9]\d{0,11})(?:@[0-9A-HJKMNP-TV-Z]{6})?$/,
      'must be the number of an event, or one with the epoch, such as 7@K3F2QX',
    ),
    v.metadata({ default: '0' }),
  ),
  limit: PageQuery.entries.limit,
  types: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^${anyType}(?:,${anyType})*$`),
        'must be types of events, with commas between them',
      ),
    ),
  ),
  include: v.optional(EventInclusion),
});
export type EventQuery = v.InferOutput<typeof EventQuery>;

export const descriptions = {
  EventType: {
    is: 'What happened. OTHER has no meaning for clients, such as a number for SMS that an operator added; later versions have more types',
  },
  RecordType: { is: 'A type of record with a GET of its id' },
  ChangedRecord: {
    is: 'A record that a write changed',
    fields: {
      type: 'The type of the record',
      id: "The record's id",
      revision: 'The number of the last event of the write: the same as `write` of the event',
      isRemoved: 'Whether it is gone',
    },
  },
  RecordedEvent: {
    is: 'Something that happened',
    fields: {
      id: "The event's number. The organization's events are numbered from 1, without a gap, in the order of the changes",
      type: 'What happened',
      createdAt: 'When it happened, by the clock of the function that stored it',
      userId: "The user of the request's token; `system` if there was no request",
      tokenId: 'The number of that token; null if nobody sent a request',
      requestId: 'The `X-Request-Id` of the request; null if nobody sent one',
      recordId: 'The record that it is about; left out if the token may not read such records, and for OTHER',
      summary: 'A sentence for people about the event. The sentence names no person',
      changedFields:
        'The fields of that record that changed, in the order of its fields, without `updatedAt` and without values; left out ' +
        'if it is no change of fields, such as a creation, or if the token may not read such records',
      write: 'The number of the last event of the same write. All events of a write happened at once',
      changed:
        'On the last event of a write (`id` is `write`): every record that the write changed and that the token may read. ' +
        'Else empty',
    },
  },
  ShownRecord: { is: 'The present state of a record that a write changed' },
  ShownLead: {
    is: 'The present state of a lead',
    fields: {
      type: 'The type of the record',
      id: "The record's id",
      record: 'The record as its own GET answers it now; null if it is gone',
      etag: 'The `ETag` of that answer, to be sent as `If-Match`; null if the record is gone',
    },
  },
  ShownInquiry: { is: 'The present state of an inquiry', like: 'ShownLead' },
  ShownCompany: { is: 'The present state of a company', like: 'ShownLead' },
  ShownNote: { is: 'The present state of a note about a company', like: 'ShownLead' },
  ShownOrganization: { is: 'The present state of the organization', like: 'ShownLead' },
  ShownMember: { is: 'The present state of a member', like: 'ShownLead' },
  ShownInvitation: { is: 'The present state of an invitation', like: 'ShownLead' },
  ShownCategory: { is: 'The present state of a category', like: 'ShownLead' },
  ShownService: { is: 'The present state of a service', like: 'ShownLead' },
  ShownScenario: { is: 'The present state of a scenario', like: 'ShownLead' },
  ShownProduct: { is: 'The present state of a product', like: 'ShownLead' },
  ShownTransfer: { is: 'The present state of a transfer rule', like: 'ShownLead' },
  ShownPolicy: { is: 'The present state of a policy', like: 'ShownLead' },
  ShownFaq: { is: 'The present state of an FAQ', like: 'ShownLead' },
  ShownAppointment: { is: 'The present state of an appointment', like: 'ShownLead' },
  ShownWebhook: { is: 'The present state of a webhook', like: 'ShownLead' },
  EventInclusion: { is: 'Additions to the events of a page' },
  EventPage: {
    is: 'A part of the events, the oldest first',
    fields: {
      events: 'The events; fewer than `limit`, or none, where others than `types` were left out',
      records: 'With `include=records`: every record that `changed` of these events names, once. Else empty',
      nextAfter: 'The value of `after` to read on: the number of the last event that was looked at',
      version: 'The number of the newest event. Nothing is missing once `nextAfter` is the same',
      epoch: 'The name of this numbering. The epoch changes only if data was restored or imported',
    },
  },
  EventQuery: {
    is: 'Which events to read',
    fields: {
      after:
        'The number of the last event that is known, so 0 for all. With `@` and the epoch it is refused once that epoch is over',
      limit: 'How many events to look at',
      types: 'Only events of these types, with commas between them',
      include: '`records` adds the present state of the changed records',
    },
  },
} satisfies Descriptions;

const leadId = 'lead_6H8EV88000000005';
export const listEventsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/events',
  scope: 'events:read',
  access: 'readPageAndList',
  summary: 'List every change of the organization, in order',
  description:
    'Every change of the organization, by anyone, in the order of the changes, for good. No event is shown before all with ' +
    'lower numbers are there. `after` beyond the newest event is a 400. With `include=records` a page also has the ' +
    'present state of the records that its events changed. It ends earlier if it would be too large.',
  params: {},
  query: EventQuery,
  responses: { 200: EventPage },
  errors: [410],
  extension: true,
  example: {
    query: { after: '6', limit: '50' },
    response: {
      events: [
        {
          id: 7,
          type: 'LEAD_CREATED',
          createdAt: '2026-11-02T13:00:00.000Z',
          userId: 'user_6H8EV88000000001',
          tokenId: 1,
          requestId: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11',
          recordId: leadId,
          summary: 'The lead was created',
          write: 7,
          changed: [{ type: 'lead', id: leadId, revision: 7, isRemoved: false }],
        },
      ],
      records: [],
      nextAfter: 7,
      version: 7,
      epoch: 'K3F2QX',
    },
  },
});
