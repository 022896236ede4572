import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledLine, filledText, numberInPath, readOnlyFields, recordNumber } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const about = 'Policies that the organization works by';

/** A policy (specification, section 2). */
export const Policy = v.strictObject({
  id: recordNumber,
  title: v.string(),
  content: v.string(),
  isActive: v.boolean(),
});
export type Policy = v.InferOutput<typeof Policy>;

/** What makes up a new policy. */
export const NewPolicy = v.strictObject({
  title: filledLine(200),
  // A page of 100 is to fit in the 6 MB that a function can answer.
  content: filledText(10_000),
  isActive: v.optional(v.boolean()),
});
export type NewPolicy = v.InferOutput<typeof NewPolicy>;

/** What a client sends to change a policy: what it leaves out stays. */
export const PolicyChanges = v.partial(NewPolicy);
export type PolicyChanges = v.InferOutput<typeof PolicyChanges>;

const example = {
  id: 1,
  title: 'Cancellations',
  content: 'Free of charge until 24 hours before the appointment.',
  isActive: true,
};

export const listPolicies = endpoint({
  method: 'GET',
  path: '/v1/policies',
  scope: 'read',
  access: 'page',
  summary: 'List policies, newest first',
  params: {},
  query: PageQuery,
  responses: { 200: pageSchema('policies', Policy) },
  errors: [],
  example: pageExample('policies', example),
});

export const updatePolicy = endpoint({
  method: 'PUT',
  path: '/v1/policies/{policyId}',
  scope: 'write',
  access: 'write',
  summary: 'Change a policy',
  description: 'What is left out stays.',
  params: { policyId: v.pipe(numberInPath, v.description("The policy's id")) },
  body: PolicyChanges,
  readOnly: readOnlyFields(Policy, PolicyChanges),
  responses: { 200: v.strictObject({ policy: Policy }) },
  errors: [404],
  example: {
    params: { policyId: '1' },
    body: { content: 'Free of charge until 12 hours before the appointment.' },
    response: {
      policy: { ...example, content: 'Free of charge until 12 hours before the appointment.' },
    },
  },
});
