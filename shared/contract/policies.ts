import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledLine, filledText, numberInPath, pathId, readOnlyFields, recordNumber } from './fields.ts';
import { ActivePageQuery, pageExample, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Policies that the organization works by';

export const policyLabel = 'policy';

/** A policy: docs/reference/knowledge.md, Policy. */
export const Policy = v.strictObject({
  id: recordNumber,
  title: v.string(),
  content: v.string(),
  isActive: v.boolean(),
});
export type Policy = v.InferOutput<typeof Policy>;

export const NewPolicy = v.strictObject({
  title: filledLine(200),
  // A page of 100 must fit in a function's response of 6 MB.
  content: filledText(10_000),
  isActive: v.optional(v.boolean()),
});
export type NewPolicy = v.InferOutput<typeof NewPolicy>;

/** Body of a change of a policy. Fields that are left out stay. */
export const PolicyChanges = v.partial(NewPolicy);
export type PolicyChanges = v.InferOutput<typeof PolicyChanges>;

export const PolicyPage = pageSchema('policies', Policy);
export const PolicyDeleted = v.strictObject({ message: v.literal('Policy deleted successfully') });
export const PolicyEnvelope = v.strictObject({ policy: Policy });

export const descriptions = {
  Policy: {
    is: 'A policy that the organization works by',
    fields: { title: 'Its title', content: 'Its text' },
  },
  NewPolicy: {
    is: 'The body to create a policy',
    like: 'Policy',
    fields: { isActive: 'Whether it is in use; true when not given' },
  },
  PolicyChanges: { is: 'The body to change a policy', like: 'Policy' },
  PolicyEnvelope: { is: 'A policy', fields: { policy: 'The policy' } },
  PolicyPage: { is: 'A page of policies', fields: { policies: 'The policies of this page' } },
  PolicyDeleted: {
    is: 'The answer to the deletion of a policy',
    fields: { message: 'Always the same sentence' },
  },
} satisfies Descriptions;

const policyId = pathId(policyLabel, numberInPath);

const example = {
  id: 1,
  title: 'Cancellations',
  content: 'Free of charge until 24 hours before the appointment.',
  isActive: true,
};

export const listPoliciesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/policies',
  scope: 'policies:read',
  access: 'readPageAndList',
  summary: 'List policies, newest first',
  description: 'All policies, only policies in use, or only policies that are not in use.',
  params: {},
  query: ActivePageQuery,
  responses: { 200: PolicyPage },
  errors: [],
  example: pageExample('policies', example),
});

export const createPolicyEndpoint = endpoint({
  method: 'POST',
  path: '/v1/policies',
  scope: 'policies:create',
  access: 'putAndUpdate',
  summary: 'Create a policy',
  description: 'The same title can be there more than once.',
  params: {},
  body: NewPolicy,
  readOnly: readOnlyFields(Policy, NewPolicy),
  responses: { 201: PolicyEnvelope },
  record: { in: 'policy' },
  errors: [],
  extension: true,
  example: {
    body: { title: 'Cancellations', content: 'Free of charge until 24 hours before the appointment.' },
    response: { policy: example },
  },
});

export const getPolicyEndpoint = endpoint({
  method: 'GET',
  path: '/v1/policies/{policyId}',
  scope: 'policies:read',
  access: 'get',
  summary: 'Read a policy',
  description: 'Also a policy that is not in use.',
  params: { policyId },
  responses: { 200: PolicyEnvelope },
  record: { in: 'policy' },
  errors: [404],
  extension: true,
  example: { params: { policyId: '1' }, response: { policy: example } },
});

export const updatePolicyEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/policies/{policyId}',
  scope: 'policies:write',
  access: 'putAndUpdate',
  summary: 'Change a policy',
  description: 'Fields that are left out stay unchanged.',
  params: { policyId },
  body: PolicyChanges,
  readOnly: readOnlyFields(Policy, PolicyChanges),
  responses: { 200: PolicyEnvelope },
  record: { in: 'policy' },
  errors: [404],
  example: {
    params: { policyId: '1' },
    body: { content: 'Free of charge until 12 hours before the appointment.' },
    response: {
      policy: { ...example, content: 'Free of charge until 12 hours before the appointment.' },
    },
  },
});

export const deletePolicyEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/policies/{policyId}',
  scope: 'policies:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a policy',
  description: 'To keep it out of use, set `isActive` to false instead.',
  params: { policyId },
  responses: { 200: PolicyDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { policyId: '1' }, response: { message: 'Policy deleted successfully' } },
});
