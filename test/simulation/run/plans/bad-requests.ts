import { invalid, notFound, type Problem, type ErrorResponse } from '../model/refusal.ts';
import type { HttpCall, Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';

const required = 'is required';
const unknownField = 'is not a known field';
const unseen = 'must have a character that can be seen';
const damaged = 'must be valid UTF-8, without U+FFFD, which stands for what could not be read';

/** A call with this body, or without valid JSON, and the error that it must get. */
const wrongBody = (
  endpoint: string,
  body: object | string,
  ...problems: [Problem, ...Problem[]]
): [HttpCall, ErrorResponse] => [
  { endpoint, body: typeof body === 'string' ? body : JSON.stringify(body) },
  invalid(...problems),
];

/** 60 unknown fields. An error lists fewer than that. */
const manyFields = Array.from({ length: 60 }, (_, at) => `field${at}`);
const ofMany = (field: string): Problem => ({ field, message: unknownField });

const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;

const transfer = { label: 'x', method: 'WARM', conditions: 'x' };

/** Requests that are invalid in any state of an organization, with their possible errors. */
const wrong: readonly [HttpCall, ...ErrorResponse[]][] = [
  wrongBody('createLead', '{"name":', {
    field: '',
    message: 'The body cannot be read as JSON: line 1, column 9',
  }),
  wrongBody('createLead', '{"firstName":"Ann","__proto__":{}}', {
    field: '__proto__',
    message: unknownField,
  }),
  wrongBody('createLead', '[]', { field: '', message: 'The body must be a JSON object' }),
  wrongBody('createLead', `{"firstName":"Ann","socials":${deep}}`, {
    field: '',
    message: 'The body must be nested at most 50 deep',
  }),
  wrongBody(
    'createLead',
    { firstName: 7, nickname: 'A', suburb: 'Leichhardt', constructor: 1 },
    { field: 'firstName', message: 'must be a string' },
    { field: 'nickname', message: unknownField },
    { field: 'constructor', message: unknownField },
  ),
  [
    {
      endpoint: 'createLead',
      body: JSON.stringify({
        firstName: 'Ann',
        ...Object.fromEntries(manyFields.map((name) => [name, 1])),
      }),
    },
    {
      status: 400,
      message: 'field0 is not a known field, and 10 more',
      details: manyFields.slice(0, 50).map(ofMany),
    },
  ],
  wrongBody(
    'createLead',
    { firstName: 'Ann', socials: { constructor: 'x' } },
    { field: 'socials.constructor', message: unknownField },
  ),
  wrongBody(
    'createLead',
    { firstName: 'Ann', phone: 'not a number' },
    { field: 'phone', message: 'must be a phone number, either national or starting with +' },
  ),
  wrongBody(
    'createLead',
    { firstName: null, email: 'ann@example.com' },
    { field: 'firstName', message: 'is required where there is no name' },
  ),
  wrongBody('createLead', { firstName: '\u200B' }, { field: 'firstName', message: unseen }),
  [{ endpoint: 'createLead', body: '{}', headers: { 'Content-Type': 'text/plain' } }, { status: 415 }],
  [
    {
      endpoint: 'createLead',
      body: '{}',
      headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
    },
    { status: 415, message: 'The charset of the body must be utf-8' },
  ],
  [
    { endpoint: 'listLeads', query: { page: '0' } },
    invalid({ field: 'page', message: 'must be at least 1' }),
  ],
  [
    { endpoint: 'listLeads', query: { limit: '101' } },
    invalid({ field: 'limit', message: 'must be at most 100' }),
  ],
  [
    { endpoint: 'listInquiries', query: { source: 'FAX' } },
    { status: 400, field: 'source' },
  ],
  [
    { endpoint: 'listLeads', query: { email: 'ann@example.com', status: 'won' } },
    invalid(
      { field: 'email', message: 'cannot be combined with status' },
      { field: 'status', message: 'cannot be combined with email' },
    ),
  ],
  [
    { endpoint: 'listLeads', query: { email: 'ann' } },
    invalid({ field: 'email', message: 'must be an email address' }),
  ],
  // A combining accent alone is no searchable character.
  [
    { endpoint: 'listLeads', query: { q: 'e\u0301' } },
    invalid({ field: 'q', message: 'must have at least two characters' }),
  ],
  [
    { endpoint: 'listInquiries', query: { isRead: 'true' } },
    invalid({ field: 'isRead', message: 'must be false' }),
  ],
  [
    { endpoint: 'listInquiries', query: { tag: 'Quote', source: 'CALL' } },
    invalid(
      { field: 'tag', message: 'cannot be combined with source' },
      { field: 'source', message: 'cannot be combined with tag' },
    ),
  ],
  [
    { endpoint: 'updatePolicy', params: { policyId: '1' }, body: '{}', headers: { 'If-Match': 'A' } },
    invalid({ field: 'If-Match', message: 'must be *, or tags in quotes, separated by commas' }),
  ],
  ...[{ leadId: 'x', lead: { name: 'Ann' } }, {}].map((of): [HttpCall, ErrorResponse] => [
    { endpoint: 'createInquiry', body: JSON.stringify({ source: 'CALL', data: {}, ...of }) },
    { status: 400, field: 'lead' },
  ]),
  [
    {
      endpoint: 'createInquiry',
      body: JSON.stringify({ source: 'CALL', data: {}, lead: { suburb: 'Newtown', status: 'won' } }),
    },
    { status: 400, field: 'lead', message: 'lead must have a name, an email or a phone' },
  ],
  [
    { endpoint: 'createInquiry', body: JSON.stringify({ source: 'FAX', data: {}, leadId: 'x' }) },
    { status: 400, field: 'source' },
  ],
  wrongBody(
    'createInquiry',
    { source: 'EMAIL', data: { subjet: 'A quote' }, leadId: 'x', externalInquiryId: '' },
    { field: 'externalInquiryId', message: 'must not be empty' },
    { field: 'data.subjet', message: unknownField },
  ),
  [{ endpoint: 'getService', params: { serviceId: '0' } }, { status: 404 }],
  wrongBody('updateProducts', { updates: [] }, { field: 'updates', message: 'must be at least 1 long' }),
  [
    { endpoint: 'updateProducts', body: JSON.stringify({ updates: Array(101).fill({ id: 1 }) }) },
    {
      status: 400,
      message: 'The batch exceeds 100 items',
      details: [{ field: 'updates', message: 'The batch exceeds 100 items' }],
    },
  ],
  wrongBody(
    'updateProducts',
    { updates: [{ id: 1 }, null] },
    { field: 'updates.1', message: 'must be an object' },
  ),
  wrongBody('createFaq', { question: ' ', answer: 'x' }, { field: 'question', message: 'must not be empty' }),
  wrongBody('createFaq', { question: null, answer: 'x' }, { field: 'question', message: required }),
  wrongBody(
    'createService',
    { name: 'x', tradeCategoryId: 1, pricingMode: 'FIXED' },
    { field: 'fixedPrice', message: 'is required with pricingMode FIXED' },
  ),
  wrongBody(
    'createProduct',
    { name: null, tradeCategoryId: null, pricingType: 'NONE', colour: 'red', size: null },
    { field: 'name', message: required },
    { field: 'tradeCategoryId', message: required },
    { field: 'colour', message: unknownField },
    { field: 'size', message: unknownField },
  ),
  wrongBody(
    'createTransfer',
    { ...transfer, destinationType: 'PHONE_NUMBER', destination: 'Office' },
    { field: 'destination', message: 'must be a phone number, either national or starting with +' },
  ),
  wrongBody(
    'createTransfer',
    { ...transfer, destinationType: 'MEMBER', destination: 'Max' },
    { field: 'destination', message: 'names no member of the organization' },
  ),
  wrongBody(
    'createTransfer',
    { ...transfer, destinationType: 'DEPARTMENT', destination: null },
    { field: 'destination', message: required },
  ),
  // Refused only after the record is read, since records from before the rule may contain such text.
  [
    {
      endpoint: 'updateTransfer',
      params: { transferId: '1' },
      body: JSON.stringify({ label: '\u2800', name: 'a\uFFFDb' }),
    },
    invalid({ field: 'label', message: unseen }, { field: 'name', message: damaged }),
    notFound('transfer'),
  ],
  [
    { endpoint: 'updatePolicy', params: { policyId: '1' }, body: JSON.stringify({ title: '\uFFFD' }) },
    invalid({ field: 'title', message: damaged }),
    notFound('policy'),
  ],
  wrongBody(
    'sendSms',
    { userId: 'x', leadId: 'y', message: '' },
    { field: 'message', message: 'must not be empty' },
  ),
];

/** A request that is invalid in any state of the organization. */
export function badRequest({ draw, organization }: Planner): Plan {
  const [call, ...refusals] = draw.pick(wrong);
  return {
    operation: 'bad request',
    organization,
    call,
    refusals: () => refusals,
  };
}

export const plans: readonly WeightedPlan[] = [[badRequest, 3]];
