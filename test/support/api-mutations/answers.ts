import {
  drop,
  fieldOf,
  operationOf,
  pop,
  pull,
  push,
  reference,
  reverse,
  schemaOf,
  set,
  type Part,
} from './description.ts';
import { adds, breaks, nothing, unjudged, unlikeOasdiff } from './mutation.ts';

const lead = (api: Part) => schemaOf(api, 'Lead');
const email = (api: Part) => fieldOf(api, 'Lead', 'email');
const lastInquiryId = (api: Part) => fieldOf(api, 'Lead', 'lastInquiryId');
const responses = (api: Part, operationId: string) => operationOf(api, operationId)['responses']!;
const created = (api: Part) => responses(api, 'createLead')['201']!;
const language = { language: { type: 'string' } };

/** What a client gets. */
export const answerMutations = [
  breaks('a field is removed', (api) => {
    drop(lead(api)['properties']!, 'email');
    pull(lead(api)['required'], 'email');
  }),
  breaks(
    'an optional field is removed',
    (api) => drop(schemaOf(api, 'InquiryListItem')['properties']!, 'externalInquiryId'),
    unlikeOasdiff.waitedFor,
  ),
  breaks('a field need not be there', (api) => pull(lead(api)['required'], 'email')),
  adds('a field is always there', (api) => push(schemaOf(api, 'InquiryListItem')['required'], 'lead')),
  adds('a field is added', (api) => {
    set(lead(api)['properties']!, language);
    push(lead(api)['required'], 'language');
  }),
  adds('an optional field is added', (api) => set(lead(api)['properties']!, language)),
  breaks('a field of an item of a list is removed', (api) => {
    drop(schemaOf(api, 'TranscriptEntry')['properties']!, 'text');
    pull(schemaOf(api, 'TranscriptEntry')['required'], 'text');
  }),
  breaks('a field may be null', (api) => set(email(api), { type: ['string', 'null'] })),
  breaks('a record may be null', (api) =>
    set(schemaOf(api, 'LeadEnvelope')['properties']!, {
      lead: { anyOf: [reference('Lead'), { type: 'null' }] },
    }),
  ),
  adds('a field is never null', (api) => pop(lastInquiryId(api)['anyOf'])),
  nothing('null comes in another notation', (api) => {
    set(lastInquiryId(api), { type: ['string', 'null'] });
    drop(lastInquiryId(api), 'anyOf');
  }),
  breaks('a type is another', (api) => set(fieldOf(api, 'Lead', 'read'), { type: 'string' })),
  breaks('a type is added', (api) => set(fieldOf(api, 'Lead', 'read'), { type: ['boolean', 'string'] })),
  breaks('a whole number may have decimals', (api) => {
    set(fieldOf(api, 'LeadPage', 'totalCount'), { type: 'number', format: 'double' });
  }),
  adds(
    'a value is added',
    (api) => push(schemaOf(api, 'ActivityEvent')['enum'], 'LEAD_MERGED'),
    unlikeOasdiff.expected,
  ),
  breaks(
    'a value is removed',
    (api) => pull(schemaOf(api, 'ActivityEvent')['enum'], 'SMS_SENT'),
    unlikeOasdiff.waitedFor,
  ),
  breaks(
    'the values are any text',
    (api) => drop(schemaOf(api, 'ActivityEvent'), 'enum'),
    unlikeOasdiff.anyText,
  ),
  breaks('a constant is another', (api) => set(fieldOf(api, 'LeadDeleted', 'message'), { const: 'Gone' })),
  breaks('a constant is any text', (api) => drop(fieldOf(api, 'LeadDeleted', 'message'), 'const')),
  breaks('maximum goes', (api) => drop(fieldOf(api, 'Member', 'id'), 'maximum')),
  breaks('minimum sinks', (api) => set(fieldOf(api, 'LeadPage', 'totalCount'), { minimum: -1 })),
  adds('minimum grows', (api) => set(fieldOf(api, 'LeadPage', 'totalCount'), { minimum: 1 })),
  adds(
    'a text is one of some values',
    (api) => set(email(api), { enum: ['a@example.com'] }),
    unlikeOasdiff.firstValues,
  ),
  adds('maxLength comes', (api) => set(email(api), { maxLength: 100 })),
  breaks('a pattern goes', (api) => drop(fieldOf(api, 'Lead', 'id'), 'pattern')),
  unjudged('a pattern changes', (api) => set(fieldOf(api, 'Lead', 'id'), { pattern: '^lead_[0-9]{16}$' })),
  breaks(
    'a format is another',
    (api) => set(fieldOf(api, 'CallData', 'duration'), { format: 'float' }),
    unlikeOasdiff.formats,
  ),
  breaks('a format goes', (api) => drop(fieldOf(api, 'Lead', 'createdAt'), 'format')),
  breaks('a map holds other values', (api) =>
    set(fieldOf(api, 'Lead', 'socials'), { additionalProperties: { type: 'integer' } }),
  ),
  breaks(
    'a map holds anything',
    (api) => drop(fieldOf(api, 'Lead', 'socials'), 'additionalProperties'),
    unlikeOasdiff.passedOver,
  ),
  breaks('a kind is added to a union', (api) => {
    set(api['components']!['schemas']!, { FaxInquiry: schemaOf(api, 'SmsInquiry') });
    push(schemaOf(api, 'Inquiry')['oneOf'], reference('FaxInquiry'));
    set(schemaOf(api, 'Inquiry')['discriminator']!['mapping']!, { FAX: reference('FaxInquiry').$ref });
  }),
  breaks(
    'a kind is removed from a union',
    (api) => {
      pop(schemaOf(api, 'BatchResult')['oneOf']);
      drop(schemaOf(api, 'BatchResult')['discriminator']!['mapping']!, 'error');
    },
    unlikeOasdiff.waitedFor,
  ),
  unjudged(
    'a union goes by another field',
    (api) => set(schemaOf(api, 'Inquiry')['discriminator']!, { propertyName: 'id' }),
    unlikeOasdiff.discriminators,
  ),
  unjudged(
    'a kind of a union has no value any more',
    (api) => drop(schemaOf(api, 'Inquiry')['discriminator']!['mapping']!, 'SMS'),
    unlikeOasdiff.discriminators,
  ),
  unjudged(
    'a kind of a union has another value, too',
    (api) =>
      set(schemaOf(api, 'Inquiry')['discriminator']!['mapping']!, { FAX: reference('SmsInquiry').$ref }),
    unlikeOasdiff.discriminators,
  ),
  unjudged(
    'two kinds of a union swap their values',
    (api) =>
      set(schemaOf(api, 'Inquiry')['discriminator']!['mapping']!, {
        SMS: reference('CallInquiry').$ref,
        CALL: reference('SmsInquiry').$ref,
      }),
    unlikeOasdiff.discriminators,
  ),
  nothing('the kinds of a union are in another order', (api) => reverse(schemaOf(api, 'Inquiry')['oneOf'])),
  nothing('values are in another order', (api) => reverse(schemaOf(api, 'ActivityEvent')['enum'])),
  breaks(
    'a schema is renamed',
    (api) => {
      set(api['components']!['schemas']!, { Rule: schemaOf(api, 'Policy') });
      drop(api['components']!['schemas']!, 'Policy');
      set(schemaOf(api, 'PolicyEnvelope')['properties']!, { policy: reference('Rule') });
      set(fieldOf(api, 'PolicyPage', 'policies'), { items: reference('Rule') });
    },
    unlikeOasdiff.named,
  ),
  breaks(
    'a schema is a copy with another name, and is kept elsewhere',
    (api) => {
      set(api['components']!['schemas']!, { LeadDetails: { ...lead(api) } });
      set(schemaOf(api, 'LeadEnvelope')['properties']!, { lead: reference('LeadDetails') });
    },
    unlikeOasdiff.named,
  ),
  breaks(
    'a schema is written where it is used, and is kept elsewhere',
    (api) => set(schemaOf(api, 'LeadEnvelope')['properties']!, { lead: { ...lead(api) } }),
    unlikeOasdiff.named,
  ),
  breaks(
    'an enumeration is written where it is used',
    (api) => {
      set(schemaOf(api, 'Member')['properties']!, { role: { ...schemaOf(api, 'MemberRole') } });
      drop(api['components']!['schemas']!, 'MemberRole');
    },
    unlikeOasdiff.named,
  ),
  breaks('a success is another', (api) => {
    set(responses(api, 'createLead'), { '200': created(api) });
    drop(responses(api, 'createLead'), '201');
  }),
  breaks(
    'a success is added',
    (api) => set(responses(api, 'createLead'), { '200': created(api) }),
    unlikeOasdiff.successes,
  ),
  breaks('an error is removed', (api) => drop(responses(api, 'createLead'), '409'), unlikeOasdiff.waitedFor),
  adds('an error is added', (api) =>
    set(responses(api, 'listLeads'), { '409': responses(api, 'createLead')['409'] }),
  ),
  adds('a 304 is added', (api) =>
    set(responses(api, 'listLeads'), { '304': { description: 'Not modified' } }),
  ),
  breaks('a field of the error envelope is removed', (api) => {
    drop(schemaOf(api, 'ErrorEnvelope')['properties']!, 'requestId');
    pull(schemaOf(api, 'ErrorEnvelope')['required'], 'requestId');
  }),
  breaks('the envelope of an error is another', (api) =>
    set(api['components']!['responses']!['Conflict']!['content']!['application/json']!, {
      schema: reference('BareFailure'),
    }),
  ),
  breaks(
    'a header is removed',
    (api) => drop(created(api)['headers']!, 'X-Request-Id'),
    unlikeOasdiff.waitedFor,
  ),
  adds('a header is added', (api) =>
    set(created(api)['headers']!, { 'X-Rate-Limit': { schema: { type: 'integer' } } }),
  ),
  breaks('a header is of another type', (api) =>
    set(api['components']!['headers']!['RetryAfter']!['schema']!, { type: 'string' }),
  ),
  breaks('the content is gone', (api) => drop(created(api), 'content')),
  breaks('the content is of another type', (api) => {
    set(created(api)['content']!, { 'text/csv': created(api)['content']!['application/json'] });
    drop(created(api)['content']!, 'application/json');
  }),
  adds('the content may be had in another type', (api) =>
    set(created(api)['content']!, { 'text/csv': { schema: { type: 'string' } } }),
  ),
];
