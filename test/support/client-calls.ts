import { neededFirst, testedOperation } from './every-operation.ts';
import type { Records } from './records.ts';

/** What the calls need to know of the description. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  operationId: string;
  tags: [string];
  parameters: { name: string; in: string; example?: string | number }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
  responses: Record<string, { content: { 'application/json': { schema: { $ref: string } } } }>;
}

/** One call that a generated client makes, in the words of the description. */
export interface ClientCall {
  operationId: string;
  tag: string;
  method: string;
  path: string;
  params: Record<string, string | number>;
  query: Record<string, string | number>;
  headers: Record<string, string>;
  body?: object;
  /** The name of the body's schema. */
  bodySchema?: string;
  /** The status of success, and the name of its schema. */
  status: number;
  answerSchema: string;
}

/**
 * A call of every operation that succeeds once, given an organization's records: of `getInquiry` and `createInquiry` one for
 * each source, of the latter one more that comes again, and of `updateProducts` one whose second item fails.
 * @throws Error for an operation that has no request in `test/support/operations`
 */
export function everyCall({ paths }: Description, records: Records): ClientCall[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => callsOf(path, method, operation, records)),
  );
  return calls.sort(neededFirst);
}

function callsOf(
  path: string,
  method: string,
  operation: DescribedOperation,
  records: Records,
): ClientCall[] {
  const { operationId, tags, parameters, requestBody, responses } = operation;
  // Of two successes, that which makes a record.
  const status = '201' in responses ? '201' : (Object.keys(responses)[0] ?? '');
  const call: ClientCall = {
    operationId,
    tag: tags[0],
    method,
    path,
    params: {},
    query: queryOf(parameters, records),
    headers: headersOf(parameters),
    status: Number(status),
    answerSchema: nameOf(responses[status]!.content['application/json'].schema),
    ...(requestBody && { bodySchema: nameOf(requestBody.content['application/json'].schema) }),
    ...testedOperation(operationId).request(records, 1),
  };
  if (operationId === 'getInquiry') {
    return Object.values(records.inquiryIds).map((inquiryId) => ({ ...call, params: { inquiryId } }));
  }
  if (operationId === 'createInquiry') {
    const made = newInquiriesFrom(records).map((body) => ({ ...call, body }));
    return [...made, { ...made[0]!, status: 200 }];
  }
  if (operationId === 'updateProducts') {
    const updates = [
      { id: records.productId, name: 'Basin tap', pricing: { pricingType: 'FIXED', price: 89.95 } },
      { id: 999_999, name: 'Bath tap' },
    ];
    return [{ ...call, body: { updates } }];
  }
  return [call];
}

/** Every query parameter of an operation, as its example has it. */
function queryOf(parameters: DescribedOperation['parameters'], { leadId }: Records): ClientCall['query'] {
  const examples = parameters.flatMap(({ name, in: place, example }): [string, string | number][] =>
    place === 'query' && example !== undefined ? [[name, name === 'leadId' ? leadId : example]] : [],
  );
  return Object.fromEntries(examples);
}

/** Whatever the record is like. */
const headersOf = (parameters: DescribedOperation['parameters']): ClientCall['headers'] =>
  parameters.some(({ name }) => name === 'If-Match') ? { 'If-Match': '*' } : {};

/** What providers send of each source; the first with the lead that it is from, and an id of its own. */
function newInquiriesFrom({ leadId }: Records): object[] {
  const lead = { firstName: 'Cleo', phone: '+61491570157' };
  return [
    {
      source: 'CALL',
      externalInquiryId: 'call-8812',
      lead,
      data: { recordingUrl: 'https://recordings.example.com/2.mp3' },
    },
    { source: 'EMAIL', leadId, data: { subject: 'Gate' } },
    { source: 'CHATBOT', leadId, data: { messages: [{ text: 'Hello?' }] } },
    { source: 'SMS', leadId, data: { messages: [{ text: 'Early' }] } },
    { source: 'WEBFORM', leadId, data: { formName: 'Callback', fields: { when: 'Today' } } },
  ];
}

const nameOf = ({ $ref }: { $ref: string }) => $ref.replace('#/components/schemas/', '');

/** What a client that can tell the options of a union apart says of the answers, in the order of the calls. */
export const variantsExpected = [
  'CALL https://recordings.example.com/2.mp3',
  'EMAIL Gate',
  'CHATBOT Hello?',
  'SMS Early',
  'WEBFORM Callback',
  'CALL https://recordings.example.com/2.mp3',
  'CALL https://recordings.example.com/1.mp3',
  'EMAIL Quote',
  'CHATBOT Open today?',
  'SMS Late',
  'WEBFORM Contact',
  // As it is changed.
  'WEBFORM Contact',
  'ok Basin tap',
  'error NOT_FOUND',
];
