import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  count,
  filledLine,
  numberInPath,
  pathId,
  price,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueName,
} from './fields.ts';
import { CatalogPageQuery, pageExample, pageSchema } from './pagination.ts';
import { ScenarioSummary } from './scenarios.ts';
import { extension, inAnySpelling, type Descriptions } from './descriptions.ts';

export const tagDescription = 'Services that the organization offers';

export const serviceLabel = 'service';

export const DurationUnit = v.picklist(['MINUTES', 'HOURS', 'DAYS']);
export const pricingModes = ['NONE', 'FIXED', 'HOURLY', 'RANGE'] as const;
export const PricingMode = v.picklist(pricingModes);
export type PricingMode = (typeof pricingModes)[number];
export const TeamAssignmentMethod = v.picklist(['PRIORITY_ORDER', 'ROUND_ROBIN']);

/** A service: docs/reference/catalog.md, Service. Prices that do not apply are 0. */
export const Service = v.strictObject({
  id: recordNumber,
  name: v.string(),
  description: v.string(),
  duration: count,
  durationUnit: DurationUnit,
  followUpQuestions: v.array(v.string()),
  tradeCategoryId: recordNumber,
  pricingMode: PricingMode,
  fixedPrice: price,
  hourlyRate: price,
  callOutFee: price,
  minPrice: price,
  maxPrice: price,
  plusGST: v.boolean(),
  plusMaterials: v.boolean(),
  isCustomPriceResponseActive: v.boolean(),
  customPriceResponse: v.nullable(v.string()),
  isDisclosePrice: v.boolean(),
  isActive: v.boolean(),
  teamAssignmentMethod: TeamAssignmentMethod,
  bufferBefore: v.pipe(count, v.metadata(extension)),
  bufferAfter: v.pipe(count, v.metadata(extension)),
  leastNotice: v.pipe(count, v.metadata(extension)),
  furthestDay: v.pipe(count, v.metadata(extension)),
  scenario: ScenarioSummary,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Service = v.InferOutput<typeof Service>;

/**
 * Maximum number of services of one organization. `GET /v1/organization/services` lists all services. So all services
 * must fit in a function's response of 6 MB, even with the longest texts and four bytes per character.
 */
export const maxServices = 400;

const wholeAtMost = (max: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max), v.metadata(extension)));

export const NewService = v.strictObject({
  name: uniqueName,
  tradeCategoryId: recordNumber,
  description: v.optional(text(1400)),
  duration: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000))),
  durationUnit: v.optional(DurationUnit),
  followUpQuestions: v.optional(v.pipe(v.array(filledLine(200)), v.maxLength(10))),
  pricingMode: v.optional(PricingMode),
  fixedPrice: v.optional(price),
  hourlyRate: v.optional(price),
  callOutFee: v.optional(price),
  minPrice: v.optional(price),
  maxPrice: v.optional(price),
  plusGST: v.optional(v.boolean()),
  plusMaterials: v.optional(v.boolean()),
  isCustomPriceResponseActive: v.optional(v.boolean()),
  customPriceResponse: v.optional(v.nullable(text(1000))),
  isDisclosePrice: v.optional(v.boolean()),
  isActive: v.optional(v.boolean()),
  teamAssignmentMethod: v.optional(TeamAssignmentMethod),
  bufferBefore: wholeAtMost(1440),
  bufferAfter: wholeAtMost(1440),
  leastNotice: wholeAtMost(43_200),
  furthestDay: wholeAtMost(365),
});
export type NewService = v.InferOutput<typeof NewService>;

/** Body of a change of a service. Fields that are left out stay. */
export const ServiceChanges = v.partial(NewService);
export type ServiceChanges = v.InferOutput<typeof ServiceChanges>;

export const ServicePage = pageSchema('services', Service);
export const ServiceDeleted = v.strictObject({ message: v.literal('Service deleted successfully') });
export const ServiceEnvelope = v.strictObject({ service: Service });

export const descriptions = {
  DurationUnit: { is: 'The unit of a duration' },
  PricingMode: {
    is: 'How a service is priced: not at all, at a fixed price, by the hour, or within a range',
  },
  TeamAssignmentMethod: { is: 'How work is given to the team: by priority, or to each in turn' },
  Service: {
    is: 'A service that the organization offers',
    fields: {
      name: 'Its name, which no other live service of its category has',
      description: 'What it is',
      duration: 'How long it takes, in the `durationUnit`',
      durationUnit: 'The unit of `duration`',
      followUpQuestions: 'The questions to a caller who wants the service',
      tradeCategoryId: 'The category that it belongs to, of the type SERVICE',
      pricingMode: 'How it is priced',
      fixedPrice: 'The price where `pricingMode` is FIXED, or else 0',
      hourlyRate: 'The price of an hour where `pricingMode` is HOURLY, or else 0',
      callOutFee: 'What coming costs',
      minPrice: 'The least where `pricingMode` is RANGE, or else 0',
      maxPrice: 'The most where `pricingMode` is RANGE, or else 0',
      plusGST: 'Whether tax comes on top',
      plusMaterials: 'Whether materials come on top',
      isCustomPriceResponseActive: 'Whether the assistant says `customPriceResponse` of the price',
      customPriceResponse: "The assistant's words about the price, or null",
      isDisclosePrice: 'Whether the assistant tells the price',
      teamAssignmentMethod: 'How its work is given to the team',
      bufferBefore: 'How many minutes before it are kept free, as for the way',
      bufferAfter: 'How many minutes after it are kept free',
      leastNotice: 'How many minutes from now its earliest free time is',
      furthestDay: 'How many days from today its last free time is; 0 for today alone',
      scenario: 'The words and questions of the assistant when the service comes up',
    },
  },
  NewService: {
    is: 'The body to create a service with its scenario',
    like: 'Service',
    fields: {
      duration: 'How long it takes, in the `durationUnit`; 60 when not given',
      durationUnit: 'The unit of `duration`; MINUTES when not given',
      pricingMode: 'How it is priced; NONE when not given',
      teamAssignmentMethod: 'How its work is given to the team; PRIORITY_ORDER when not given',
      bufferBefore: 'How many minutes before it are kept free, as for the way; 0 when not given',
      bufferAfter: 'How many minutes after it are kept free; 0 when not given',
      leastNotice: 'How many minutes from now its earliest free time is; 0 when not given',
      furthestDay: 'How many days from today its last free time is; 90 when not given',
      isActive: 'Whether it is in use; true when not given',
    },
  },
  ServiceChanges: { is: 'The body to change a service', like: 'Service' },
  ServicePage: { is: 'A page of services', fields: { services: 'The services of this page' } },
  ServiceDeleted: {
    is: 'The answer to the deletion of a service',
    fields: { message: 'Always the same sentence' },
  },
  ServiceEnvelope: { is: 'A service', fields: { service: 'The service' } },
} satisfies Descriptions;

const example = {
  id: 1,
  name: 'Blocked drain',
  description: 'Clear a blocked sink, shower or outside drain',
  duration: 60,
  durationUnit: 'MINUTES',
  followUpQuestions: ['Which drain is blocked?'],
  tradeCategoryId: 1,
  pricingMode: 'FIXED',
  fixedPrice: 180,
  hourlyRate: 0,
  callOutFee: 0,
  minPrice: 0,
  maxPrice: 0,
  plusGST: true,
  plusMaterials: false,
  isCustomPriceResponseActive: false,
  customPriceResponse: null,
  isDisclosePrice: true,
  isActive: true,
  teamAssignmentMethod: 'PRIORITY_ORDER',
  bufferBefore: 30,
  bufferAfter: 0,
  leastNotice: 120,
  furthestDay: 90,
  scenario: {
    id: 1,
    response: '',
    questions: [{ question: 'Which drain is blocked?', answerOptions: [] }],
    outcome: { type: 'continueCall', property1: null, property2: null },
  },
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

const serviceId = pathId(serviceLabel, numberInPath);
const priceRules =
  'FIXED needs `fixedPrice`, HOURLY `hourlyRate`, RANGE `minPrice` and `maxPrice`; of these, what does not go with the ' +
  '`pricingMode` must be 0 or left out. ';

export const listServicesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/services',
  scope: 'services:read',
  access: ['GetItem', 'Query', 'Query list', 'BatchGetItem'],
  summary: 'List services, newest first, with their scenarios',
  description: 'All services, or only services of a category, only services in use or not in use, or both.',
  params: {},
  query: CatalogPageQuery,
  responses: { 200: ServicePage },
  errors: [],
  extension: true,
  example: pageExample('services', example),
});

export const createServiceEndpoint = endpoint({
  method: 'POST',
  path: '/v1/services',
  scope: 'services:create',
  access: 'putAndUpdate',
  summary: 'Create a service with its scenario',
  description:
    priceRules +
    'The scenario starts with the name and the follow-up questions of the service. If another service of the same category ' +
    `has the name, ${inAnySpelling}, the answer is a 409, and \`error.existingId\` names that service. ` +
    `An organization has at most ${maxServices} services.`,
  params: {},
  body: NewService,
  readOnly: readOnlyFields(Service, NewService),
  responses: { 201: ServiceEnvelope },
  record: { in: 'service' },
  errors: [409],
  example: {
    body: {
      name: 'Blocked drain',
      description: 'Clear a blocked sink, shower or outside drain',
      followUpQuestions: ['Which drain is blocked?'],
      duration: 60,
      durationUnit: 'MINUTES',
      tradeCategoryId: 1,
      pricingMode: 'FIXED',
      fixedPrice: 180,
      plusGST: true,
      isDisclosePrice: true,
      bufferBefore: 30,
      leastNotice: 120,
    },
    response: { service: example },
  },
});

export const getServiceEndpoint = endpoint({
  method: 'GET',
  path: '/v1/services/{serviceId}',
  scope: 'services:read',
  access: 'get',
  summary: 'Read a service with its scenario',
  description: 'Prices that do not go with the `pricingMode` are 0.',
  params: { serviceId },
  responses: { 200: ServiceEnvelope },
  record: { in: 'service' },
  errors: [404],
  example: { params: { serviceId: '1' }, response: { service: example } },
});

export const updateServiceEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/services/{serviceId}',
  scope: 'services:write',
  access: 'putUpdateAndDelete',
  summary: 'Change a service',
  description:
    'Fields that are left out stay unchanged; prices that the new `pricingMode` does not have become 0. The rules hold for ' +
    `the service after the change. ${priceRules}If another service of the same category has the name, ` +
    `${inAnySpelling}, the answer is a 409, and \`error.existingId\` names that service. ` +
    'The scenario does not change: `PUT /v1/scenarios/{scenarioId}` changes it.',
  params: { serviceId },
  body: ServiceChanges,
  readOnly: readOnlyFields(Service, ServiceChanges),
  responses: { 200: ServiceEnvelope },
  record: { in: 'service' },
  errors: [404, 409],
  extension: true,
  example: {
    params: { serviceId: '1' },
    body: { fixedPrice: 195 },
    response: { service: { ...example, fixedPrice: 195, updatedAt: '2026-11-03T09:30:00.000Z' } },
  },
});

export const deleteServiceEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/services/{serviceId}',
  scope: 'services:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a service with its scenario',
  description:
    'Its name is free again. While transfer rules name its scenario, the answer is a 409, and `error.details` say how many ' +
    'rules do. To keep it out of use, set `isActive` to false instead.',
  params: { serviceId },
  responses: { 200: ServiceDeleted },
  record: {},
  errors: [404, 409],
  extension: true,
  example: { params: { serviceId: '1' }, response: { message: 'Service deleted successfully' } },
});
