import { beforeAll, describe, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';

/** The fields of each resource, as docs/reference.md has them under Resources, and what may be null until there is something to name. */
const resources: Record<string, Record<string, string>> = {
  Lead: {
    id: 'string',
    firstName: 'string',
    lastName: 'string',
    email: 'string',
    phone: 'string',
    suburb: 'string',
    businessName: 'string',
    socials: 'object',
    status: 'string',
    createdAt: 'timestamp',
    read: 'boolean',
    lastInquiryId: 'string or null',
    lastInquiryDate: 'timestamp or null',
    unreadEmails: 'integer',
    unreadCalls: 'integer',
    unreadChatbotThreads: 'integer',
    unreadSMS: 'integer',
    unreadWebformSubmissions: 'integer',
    hasFlaggedInquiry: 'boolean',
  },
  LeadActivity: {
    id: 'integer',
    event: 'string',
    data: 'string',
    referenceId: 'string',
    userId: 'string',
    leadId: 'string',
    createdAt: 'timestamp',
  },
  InquiryListItem: {
    id: 'string',
    source: 'string',
    sourceId: 'string',
    tag: 'string',
    summary: 'string',
    isFirstInquiry: 'boolean',
    isRead: 'boolean',
    leadId: 'string',
    createdAt: 'timestamp',
    'externalInquiryId?': 'string or null',
    'lead?': 'InquiryLead or null',
  },
  InquiryLead: { id: 'string', firstName: 'string', lastName: 'string', email: 'string', phone: 'string' },
  ...Object.fromEntries(
    ['Call', 'Email', 'Chatbot', 'Sms', 'Webform'].map((source) => [
      `${source}Inquiry`,
      {
        id: 'string',
        tag: 'string',
        summary: 'string',
        isFirstInquiry: 'boolean',
        isRead: 'boolean',
        leadId: 'string',
        createdAt: 'timestamp',
        source: `"${source.toUpperCase()}"`,
        data: `${source}Data`,
      },
    ]),
  ),
  CallData: {
    id: 'string',
    summary: 'string',
    keyPoints: 'array of string',
    recordingUrl: 'string',
    transcripts: 'array of TranscriptEntry',
    direction: 'string',
    duration: 'number',
    startedAt: 'timestamp',
    endedAt: 'timestamp',
    endedBy: 'string',
  },
  TranscriptEntry: { id: 'string', created_at: 'string', text: 'string', user: 'string' },
  SmsData: { id: 'string', messages: 'array of SmsMessage' },
  SmsMessage: { id: 'string', direction: 'string', text: 'string', createdAt: 'timestamp' },
  EmailData: {
    id: 'string',
    subject: 'string',
    from: 'string',
    to: 'string',
    body: 'string',
    receivedAt: 'timestamp',
  },
  ChatbotData: { id: 'string', messages: 'array of ChatbotMessage' },
  WebformData: { id: 'string', formName: 'string', fields: 'object', submittedAt: 'timestamp' },
  CompanyNote: {
    id: 'integer',
    value: 'string',
    companyId: 'string',
    userId: 'string',
    createdAt: 'timestamp',
    updatedAt: 'timestamp',
  },
  Member: {
    id: 'integer',
    role: 'string',
    firstName: 'string',
    lastName: 'string',
    position: 'string',
    responsibility: 'string',
    avatarImg: 'string',
    isDisabled: 'boolean',
    user: 'MemberUser',
  },
  Service: {
    id: 'integer',
    name: 'string',
    description: 'string',
    duration: 'integer',
    durationUnit: 'string',
    followUpQuestions: 'array of string',
    tradeCategoryId: 'integer',
    pricingMode: 'string',
    fixedPrice: 'number',
    hourlyRate: 'number',
    callOutFee: 'number',
    minPrice: 'number',
    maxPrice: 'number',
    plusGST: 'boolean',
    plusMaterials: 'boolean',
    isCustomPriceResponseActive: 'boolean',
    customPriceResponse: 'string or null',
    isDisclosePrice: 'boolean',
    isActive: 'boolean',
    teamAssignmentMethod: 'string',
    scenario: 'ScenarioSummary',
    createdAt: 'timestamp',
    updatedAt: 'timestamp',
  },
  Scenario: {
    id: 'integer',
    name: 'string',
    prompt: 'string',
    response: 'string',
    isActive: 'boolean',
    questions: 'array of ScenarioQuestion',
    outcome: 'ScenarioOutcome',
    tradeServiceId: 'integer or null',
    createdAt: 'timestamp',
    updatedAt: 'timestamp',
  },
  ScenarioSummary: {
    id: 'integer',
    response: 'string',
    questions: 'array of ScenarioQuestion',
    outcome: 'ScenarioOutcome',
  },
  ScenarioQuestion: { question: 'string', answerOptions: 'array of AnswerOption' },
  ScenarioOutcome: { type: 'string', property1: 'string or null', property2: 'string or null' },
  ServiceCategory: { id: 'integer', name: 'string', type: 'string', services: 'array of CategoryService' },
  CategoryService: {
    id: 'integer',
    name: 'string',
    description: 'string',
    duration: 'integer',
    followUpQuestions: 'array of string',
    tradeCategoryId: 'integer',
    createdAt: 'timestamp',
    isActive: 'boolean',
  },
  Product: {
    id: 'integer',
    name: 'string',
    description: 'string',
    tradeCategoryId: 'integer',
    pricingType: 'string',
    price: 'number',
    maxPrice: 'number',
    isDisclosePrice: 'boolean',
    faqs: 'array of ProductFaq',
    isActive: 'boolean',
    createdAt: 'timestamp',
    updatedAt: 'timestamp',
  },
  ProductFaq: { question: 'string', answer: 'string' },
  Transfer: {
    id: 'integer',
    label: 'string',
    name: 'string',
    method: 'string',
    destinationType: 'string',
    destination: 'string',
    conditions: 'string',
    summaryFormat: 'string',
    settings: 'TransferSettings',
    isEnabled: 'boolean',
    scenarioId: 'integer or null',
    createdAt: 'timestamp',
    updatedAt: 'timestamp',
  },
  Policy: { id: 'integer', title: 'string', content: 'string', isActive: 'boolean' },
  Faq: { id: 'integer', question: 'string', answer: 'string', isActive: 'boolean' },
  BareFailure: { message: 'string' },
  ChatbotMessage: { id: 'string', user: 'string', text: 'string', createdAt: 'timestamp' },
  MemberUser: { email: 'string' },
  AnswerOption: { answer: 'string', followUps: 'array of FollowUp' },
  FollowUp: { question: 'string' },
  TransferSettings: { ignore_business_hours: 'boolean' },
  BatchSummary: { total: 'integer', succeeded: 'integer', failed: 'integer' },
};

const page = { totalPages: 'integer', currentPage: 'integer', totalCount: 'integer' };

/** Every operation of the core API (docs/reference.md, Operations): its success status and answer. */
const operations: Record<string, [status: number, answer: Record<string, string> | string]> = {
  'GET /v1/leads': [200, { leads: 'array of Lead', ...page }],
  'GET /v1/leads/{leadId}/activities': [200, { activities: 'array of LeadActivity', ...page }],
  'POST /v1/leads': [201, { lead: 'Lead' }],
  'DELETE /v1/leads/{leadId}': [200, { message: '"Lead deleted successfully"' }],
  'GET /v1/inquiries': [200, { inquiries: 'array of InquiryListItem', ...page }],
  'GET /v1/inquiries/{inquiryId}': [200, 'Inquiry'],
  'GET /v1/companies/{companyId}/notes': [200, { notes: 'array of CompanyNote', ...page }],
  'GET /v1/organization/members': [200, { members: 'array of Member', ...page }],
  'GET /v1/organization/services': [
    200,
    { categories: 'array of ServiceCategory', totalCategories: 'integer', totalServices: 'integer' },
  ],
  'POST /v1/services': [201, { service: 'Service' }],
  'GET /v1/services/{serviceId}': [200, { service: 'Service' }],
  'GET /v1/scenarios/{scenarioId}': [200, { scenario: 'Scenario' }],
  'POST /v1/products': [201, { product: 'Product' }],
  'PUT /v1/products/{productId}': [200, { product: 'Product' }],
  'PATCH /v1/products/batch': [200, { results: 'array of BatchResult', summary: 'BatchSummary' }],
  'POST /v1/transfers': [201, { transfer: 'Transfer' }],
  'PUT /v1/transfers/{transferId}': [200, { transfer: 'Transfer' }],
  'GET /v1/policies': [200, { policies: 'array of Policy', ...page }],
  'PUT /v1/policies/{policyId}': [200, { policy: 'Policy' }],
  'POST /v1/faqs': [201, { faq: 'Faq' }],
  'POST /v1/sms': [201, { message: '"SMS sent successfully"' }],
  'GET /openapi': [200, { openapi: 'string' }],
};

/** Which operations answer an error status (docs/reference.md, Operations and Errors), beside 401 and 500, which are of all. */
const errors: Record<number, string[]> = {
  400: [
    'POST /v1/services',
    'POST /v1/products',
    'PUT /v1/products/{productId}',
    'PATCH /v1/products/batch',
    'POST /v1/transfers',
    'PUT /v1/transfers/{transferId}',
  ],
  404: [
    'PUT /v1/products/{productId}',
    'PUT /v1/transfers/{transferId}',
    'PUT /v1/policies/{policyId}',
    'POST /v1/sms',
    'GET /v1/companies/{companyId}/notes',
    'GET /v1/leads/{leadId}/activities',
    'GET /v1/services/{serviceId}',
    'GET /v1/scenarios/{scenarioId}',
    'GET /v1/inquiries/{inquiryId}',
    // What follows from the path.
    'DELETE /v1/leads/{leadId}',
  ],
  409: [
    'POST /v1/services',
    'POST /v1/products',
    'PUT /v1/products/{productId}',
    'POST /v1/transfers',
    'PUT /v1/transfers/{transferId}',
    // A lead's email and phone number are unique too.
    'POST /v1/leads',
  ],
  502: ['POST /v1/sms'],
};

/** The parameters of each list, with their presets and bounds. */
const pageParameters = {
  page: { type: 'integer', minimum: 1, default: 1 },
  limit: { type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 50 },
};

const enumerations: Record<string, [schema: string, field: string]> = {
  'pending, active, quoted, won, lost, archived': ['Lead', 'status'],
  'LEAD_CREATED, LEAD_UPDATED, LEAD_STATUS_CHANGED, LEAD_OPTED_OUT, LEAD_OPTED_IN, LEAD_ERASED, INQUIRY_CREATED, SMS_SENT, SMS_RECEIVED, APPOINTMENT_CREATED, APPOINTMENT_UPDATED, APPOINTMENT_CANCELLED':
    ['LeadActivity', 'event'],
  'CALL, EMAIL, CHATBOT, SMS, WEBFORM': ['InquiryListItem', 'source'],
  'LEAD_TO_AI, AI_TO_LEAD': ['CallData', 'direction'],
  'user, assistant, system': ['CallData', 'endedBy'],
  'user, assistant': ['TranscriptEntry', 'user'],
  'USER, ADMIN, OWNER': ['Member', 'role'],
  'SERVICE, PRODUCT': ['ServiceCategory', 'type'],
  'MINUTES, HOURS, DAYS': ['Service', 'durationUnit'],
  'NONE, FIXED, HOURLY, RANGE': ['Service', 'pricingMode'],
  'PRIORITY_ORDER, ROUND_ROBIN': ['Service', 'teamAssignmentMethod'],
  'NONE, FIXED, RANGE': ['Product', 'pricingType'],
  'WARM, COLD': ['Transfer', 'method'],
  'DEPARTMENT, MEMBER, PHONE_NUMBER': ['Transfer', 'destinationType'],
  'continueCall, transferCall, sendSms, bookAppointment, takeMessage': ['ScenarioOutcome', 'type'],
};

interface JsonSchema {
  $ref?: string;
  type?: string;
  format?: string;
  const?: unknown;
  enum?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  'x-extension'?: true;
}

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: JsonSchema }[];
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
  'x-extension'?: true;
}

let schemas: Record<string, JsonSchema>;
let described: Map<string, Operation>;
beforeAll(async () => {
  const document = openApiDocument(await findContracts()) as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, JsonSchema> };
  };
  schemas = document.components.schemas;
  described = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
});

const componentOf = ({ $ref = '' }: JsonSchema) => $ref.replace('#/components/schemas/', '');

/** The values of an enumeration, which is a component. */
const valuesOf = (schema: JsonSchema) => schemas[componentOf(schema)]?.enum;

/** The fields of an object schema as a table: a name ends with `?` where the field can be missing. */
function tableOf({ properties = {}, required = [] }: JsonSchema): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, schema]) => !schema['x-extension'])
      .map(([name, schema]) => [required.includes(name) ? name : `${name}?`, typeOf(schema)]),
  );
}

function typeOf(schema: JsonSchema): string {
  const { type = '', anyOf, items, format } = schema;
  if (schema.$ref) return valuesOf(schema) ? 'string' : componentOf(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `array of ${typeOf(items)}`;
  return format === 'date-time' ? 'timestamp' : type;
}

describe('a resource has the fields of the reference, and no more', () => {
  test.each(Object.keys(resources))('%s', (name) => {
    expect(tableOf(schemas[name]!)).toEqual(resources[name]!);
  });

  test('Inquiry is one of five, by its source', () => {
    expect((schemas['Inquiry'] as { oneOf: JsonSchema[] }).oneOf.map(componentOf)).toEqual([
      'CallInquiry',
      'EmailInquiry',
      'ChatbotInquiry',
      'SmsInquiry',
      'WebformInquiry',
    ]);
  });

  test('ErrorEnvelope', () => {
    expect(tableOf(schemas['ErrorEnvelope']!)).toEqual({
      success: 'boolean',
      message: 'string',
      error: 'ErrorReason',
    });
    expect(tableOf(schemas['ErrorReason']!)).toEqual({
      status: 'integer',
      message: 'string',
      'code?': '"BATCH_TOO_LARGE"',
    });
  });

  test('a batch result is a product, or a code and a message', () => {
    const { oneOf } = schemas['BatchResult'] as { oneOf: JsonSchema[] };
    expect(oneOf.map((option) => tableOf(schemas[componentOf(option)]!))).toEqual([
      { id: 'integer', status: '"ok"', product: 'Product' },
      { id: 'integer', status: '"error"', code: 'string', message: 'string' },
    ]);
    expect(schemas['BatchCode']?.enum).toEqual([
      'NOT_FOUND',
      'VALIDATION_ERROR',
      'CONFLICT',
      'INTERNAL_ERROR',
    ]);
  });
});

test.each(Object.entries(enumerations))('%s are the values of %j', (values, [schema, field]) => {
  expect(valuesOf(schemas[schema]!.properties![field]!)?.join(', ')).toBe(values);
});

test('the operations are those of the reference, and what is marked as an extension', () => {
  const specified = [...described].filter(([, operation]) => !operation['x-extension']);
  expect(specified.map(([route]) => route).sort()).toEqual(Object.keys(operations).sort());
});

describe('an operation answers as the reference says', () => {
  test.each(Object.entries(operations))('%s', (route, [status, answer]) => {
    const { responses } = described.get(route)!;
    expect(Object.keys(responses).filter((code) => code < '300')).toEqual([String(status)]);
    const name = componentOf(responses[status]!.content!['application/json']!.schema);
    if (typeof answer === 'string') expect(name).toBe(answer);
    else expect(tableOf(schemas[name]!)).toEqual(answer);
  });

  test('304, of the description alone', () => {
    const routes = [...described].filter(
      ([
        ,
        {
          responses: { 304: answer },
        },
      ]) => {
        return answer && !('x-extension' in answer);
      },
    );
    expect(routes.map(([route]) => route)).toEqual(['GET /openapi']);
  });

  test.each(Object.entries(errors))('%s', (status, routes) => {
    const found = [...described].filter(([, { responses }]) => status in responses);
    const names = found.filter(([, operation]) => !operation['x-extension']).map(([route]) => route);
    // Of any request that can be malformed, 400 is an answer.
    if (status === '400') expect(names).toEqual(expect.arrayContaining(routes));
    else expect(names.sort()).toEqual(routes.sort());
  });

  test('401 and 500, all but the public one', () => {
    for (const [route, { responses }] of described) {
      expect('401' in responses, route).toBe(route !== 'GET /openapi');
      expect('500' in responses, route).toBe(true);
    }
  });

  test('pages: from 1, of 1 to 100, 50 when not asked', () => {
    const lists = Object.entries(operations).flatMap(([route, [, answer]]) =>
      typeof answer === 'object' && 'totalPages' in answer ? [route] : [],
    );
    expect(lists).toHaveLength(6);
    for (const route of lists) {
      const { parameters } = described.get(route)!;
      const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema;
      expect(schemaOf('page'), route).toMatchObject(pageParameters.page);
      expect(schemaOf('limit'), route).toEqual(pageParameters.limit);
    }
  });

  test('inquiries: by lead, by source, expanded', () => {
    const { parameters } = described.get('GET /v1/inquiries')!;
    const specified = parameters.filter(({ schema }) => !('x-extension' in schema));
    expect(specified.map(({ name }) => name)).toEqual(['page', 'limit', 'leadId', 'source', 'expand']);
    const [, , , source, expand] = specified;
    expect(valuesOf(source!.schema)).toEqual(['CALL', 'EMAIL', 'CHATBOT', 'SMS', 'WEBFORM']);
    expect(valuesOf(expand!.schema)).toEqual(['external', 'lead', 'both']);
  });
});
