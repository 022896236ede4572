import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  count,
  filledLine,
  numberInPath,
  price,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueNameLength,
} from './fields.ts';
import { ScenarioSummary } from './scenarios.ts';

export const about = 'Services that the organization offers';

export const durationUnits = ['MINUTES', 'HOURS', 'DAYS'] as const;
export const pricingModes = ['NONE', 'FIXED', 'HOURLY', 'RANGE'] as const;
export type PricingMode = (typeof pricingModes)[number];
export const teamAssignmentMethods = ['PRIORITY_ORDER', 'ROUND_ROBIN'] as const;

/** A service (specification, section 2). Prices that do not apply are 0. */
export const Service = v.strictObject({
  id: recordNumber,
  name: v.string(),
  description: v.string(),
  duration: count,
  durationUnit: v.picklist(durationUnits),
  followUpQuestions: v.array(v.string()),
  tradeCategoryId: recordNumber,
  pricingMode: v.picklist(pricingModes),
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
  teamAssignmentMethod: v.picklist(teamAssignmentMethods),
  scenario: ScenarioSummary,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Service = v.InferOutput<typeof Service>;

/**
 * The most services of one organization: `GET /v1/organization/services` shows them all at once, in the 6 MB that a function
 * can answer, however long their texts and however many bytes a character of them takes in JSON.
 */
export const mostServices = 400;

/** What a client sends to create a service. */
export const NewService = v.strictObject({
  name: filledLine(uniqueNameLength),
  tradeCategoryId: recordNumber,
  description: v.optional(text(1400)),
  duration: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000))),
  durationUnit: v.optional(v.picklist(durationUnits)),
  followUpQuestions: v.optional(v.pipe(v.array(filledLine(200)), v.maxLength(10))),
  pricingMode: v.optional(v.picklist(pricingModes)),
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
  teamAssignmentMethod: v.optional(v.picklist(teamAssignmentMethods)),
});
export type NewService = v.InferOutput<typeof NewService>;

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
  scenario: {
    id: 1,
    response: '',
    questions: [{ question: 'Which drain is blocked?', answerOptions: [] }],
    outcome: { type: 'continueCall', property1: null, property2: null },
  },
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

export const createService = endpoint({
  method: 'POST',
  path: '/v1/services',
  scope: 'write',
  access: 'write',
  summary: 'Create a service, and its scenario',
  description:
    'FIXED needs `fixedPrice`, HOURLY `hourlyRate`, RANGE `minPrice` and `maxPrice`; of these, what does not go with the ' +
    '`pricingMode` must be 0 or left out. The scenario starts with the name and the follow-up questions of the service. ' +
    'A name that a live service of the same category already has, in any case, is a 409 whose `error.existingId` names ' +
    `that service. An organization has at most ${mostServices} services.`,
  params: {},
  body: NewService,
  readOnly: readOnlyFields(Service, NewService),
  responses: { 201: v.strictObject({ service: Service }) },
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
    },
    response: { service: example },
  },
});

export const getService = endpoint({
  method: 'GET',
  path: '/v1/services/{serviceId}',
  scope: 'read',
  access: 'get',
  summary: 'Read a service, with its scenario',
  params: { serviceId: v.pipe(numberInPath, v.description("The service's id")) },
  responses: { 200: v.strictObject({ service: Service }) },
  errors: [404],
  example: { params: { serviceId: '1' }, response: { service: example } },
});
