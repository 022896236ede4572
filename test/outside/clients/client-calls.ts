import { neededFirst, testedOperation } from '../../support/operations.ts';
import type { Records } from '../../support/filled-records.ts';

/** Parts of the OpenAPI description that the calls are made from. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  operationId: string;
  tags: [string];
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; example?: string | number }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
  responses: Record<string, { content: { 'application/json': { schema: { $ref: string } } } }>;
}

/** One call of a generated client, in the description's words. */
export interface ClientCall {
  operationId: string;
  tag: string;
  method: string;
  path: string;
  params: Record<string, string | number>;
  query: Record<string, string | number>;
  headers: Record<string, string>;
  body?: object;
  /** Name of the body's schema. */
  bodySchema?: string;
  /** Status of success, and the name of its schema. */
  status: number;
  answerSchema: string;
}

/** Paths of the operations that take a key and no other token. */
export const keyedPaths = ({ paths }: Description): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).some(({ security }) => security.some((scheme) => 'key' in scheme)) ? [path] : [],
  );

/** Records of the organization, and a second invitation. */
type ClientRecords = Records & { otherInvitationId: number };

/**
 * Calls of every operation. All of them succeed once for an organization with these records. `getInquiry` and
 * `createInquiry` have a call for each source, `createInquiry` also repeats a call, and the second item of
 * `updateProducts` fails.
 * @throws Error for an operation that has no entry in `test/support/operations.ts`
 */
export function everyCall({ paths }: Description, records: ClientRecords): ClientCall[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => callsOf(path, method, operation, records)),
  );
  return calls.sort(neededFirst);
}

function callsOf(
  path: string,
  method: string,
  operation: DescribedOperation,
  records: ClientRecords,
): ClientCall[] {
  const { operationId, tags, parameters, requestBody, responses } = operation;
  // Of two statuses of success, the status of a new record.
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
  // The other invitation is accepted.
  if (operationId === 'resendInvitation' || operationId === 'deleteInvitation')
    return [{ ...call, params: { invitationId: records.otherInvitationId } }];
  if (operationId === 'getInquiry') {
    return Object.values(records.inquiryIds).map((inquiryId) => ({ ...call, params: { inquiryId } }));
  }
  if (operationId === 'createInquiry') {
    const made = newInquiriesFrom(records).map((body) => ({ ...call, body }));
    return [...made, { ...made[0]!, status: 200 }];
  }
  if (operationId === 'upsertLead') {
    // A lead that is there is changed. Another one is created, which no tag can name.
    const other = { ...call, headers: {}, body: { name: 'Hal', email: 'hal@example.com' } };
    return [{ ...call, status: 200 }, other];
  }
  if (operationId === 'updateOrganization') {
    const openingHours = { monday: [{ from: '08:00', to: '12:00' }] };
    return [{ ...call, body: { openingHours } }];
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

/** Query parameters of an operation that have an example. */
function queryOf(parameters: DescribedOperation['parameters'], { leadId }: Records): ClientCall['query'] {
  const examples = parameters.flatMap(({ name, in: place, example }): [string, string | number][] =>
    place === 'query' && example !== undefined ? [[name, name === 'leadId' ? leadId : example]] : [],
  );
  return Object.fromEntries(examples);
}

/** Headers of an operation that suit any record. */
const headersOf = (parameters: DescribedOperation['parameters']): ClientCall['headers'] =>
  parameters.some(({ name }) => name === 'If-Match') ? { 'If-Match': '*' } : {};

/** Bodies as the sources send them. The first has the lead and an external id in it. */
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

/** Lines that a client which tells unions apart prints for the answers, in the order of the calls. */
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
  // After the change.
  'CALL https://recordings.example.com/1.mp3',
  'ok Basin tap',
  'error NOT_FOUND',
];
