import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  filledLine,
  filledText,
  numberInPath,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueNameLength,
} from './fields.ts';

export const about = 'Transfer rules: when a call is put through to a person, and to whom';

export const transferMethods = ['WARM', 'COLD'] as const;
export const destinationTypes = ['DEPARTMENT', 'MEMBER', 'PHONE_NUMBER'] as const;

/** A transfer rule (specification, section 2). */
export const Transfer = v.strictObject({
  id: recordNumber,
  label: v.string(),
  name: v.string(),
  method: v.picklist(transferMethods),
  destinationType: v.picklist(destinationTypes),
  destination: v.string(),
  conditions: v.pipe(v.string(), v.description('When to transfer')),
  summaryFormat: v.pipe(
    v.string(),
    v.description('A template with the placeholders {name}, {topic} and {summary}'),
  ),
  settings: v.strictObject({ ignore_business_hours: v.boolean() }),
  isEnabled: v.boolean(),
  scenarioId: v.nullable(recordNumber),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Transfer = v.InferOutput<typeof Transfer>;

/** What a client sends to create a transfer rule. */
export const NewTransfer = v.strictObject({
  label: filledLine(uniqueNameLength),
  method: v.picklist(transferMethods),
  destinationType: v.picklist(destinationTypes),
  destination: filledLine(200),
  conditions: filledText(2000),
  name: v.optional(v.pipe(filledLine(uniqueNameLength), v.description('The label, when not given'))),
  summaryFormat: v.optional(text(1000)),
  settings: v.optional(v.strictObject({ ignore_business_hours: v.optional(v.boolean()) })),
  isEnabled: v.optional(v.boolean()),
  scenarioId: v.optional(v.nullable(recordNumber)),
});
export type NewTransfer = v.InferOutput<typeof NewTransfer>;

/** What a client sends to change a transfer rule: what it leaves out stays. */
export const TransferChanges = v.partial(NewTransfer);
export type TransferChanges = v.InferOutput<typeof TransferChanges>;

const example = {
  id: 1,
  label: 'Burst pipes',
  name: 'Burst pipes',
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Emergencies',
  conditions: 'Water is running and cannot be turned off',
  summaryFormat: '{name} called about {topic}: {summary}',
  settings: { ignore_business_hours: true },
  isEnabled: true,
  scenarioId: null,
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

const labelRule =
  'A label that another live rule has, in any case, is a 409 whose `error.existingId` names that rule.';

export const createTransfer = endpoint({
  method: 'POST',
  path: '/v1/transfers',
  scope: 'write',
  access: 'write',
  summary: 'Create a transfer rule',
  description: labelRule,
  params: {},
  body: NewTransfer,
  readOnly: readOnlyFields(Transfer, NewTransfer),
  responses: { 201: v.strictObject({ transfer: Transfer }) },
  errors: [409],
  example: {
    body: {
      label: 'Burst pipes',
      method: 'WARM',
      destinationType: 'DEPARTMENT',
      destination: 'Emergencies',
      conditions: 'Water is running and cannot be turned off',
      summaryFormat: '{name} called about {topic}: {summary}',
      settings: { ignore_business_hours: true },
    },
    response: { transfer: example },
  },
});

export const updateTransfer = endpoint({
  method: 'PUT',
  path: '/v1/transfers/{transferId}',
  scope: 'write',
  access: 'rename',
  summary: 'Change a transfer rule',
  description: `What is left out stays. ${labelRule}`,
  params: { transferId: v.pipe(numberInPath, v.description("The transfer rule's id")) },
  body: TransferChanges,
  readOnly: readOnlyFields(Transfer, TransferChanges),
  responses: { 200: v.strictObject({ transfer: Transfer }) },
  errors: [404, 409],
  example: {
    params: { transferId: '1' },
    body: { isEnabled: false },
    response: { transfer: { ...example, isEnabled: false, updatedAt: '2026-11-03T09:30:00.000Z' } },
  },
});
