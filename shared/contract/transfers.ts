import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  filledLine,
  filledText,
  flagInQuery,
  numberInPath,
  pathId,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueName,
} from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { inAnySpelling, type Descriptions } from './descriptions.ts';

export const tagDescription = 'Transfer rules: when a call is put through to a person, and to whom';

export const transferLabel = 'transfer';

export const transferMethods = ['WARM', 'COLD'] as const;
export const TransferMethod = v.picklist(transferMethods);
export const DestinationType = v.picklist(['DEPARTMENT', 'MEMBER', 'PHONE_NUMBER']);

export const TransferSettings = v.strictObject({ ignore_business_hours: v.boolean() });

/** A transfer rule: docs/reference/calls.md, Transfer rule. */
export const Transfer = v.strictObject({
  id: recordNumber,
  label: v.string(),
  name: v.string(),
  method: TransferMethod,
  destinationType: DestinationType,
  destination: v.string(),
  conditions: v.string(),
  summaryFormat: v.string(),
  settings: TransferSettings,
  isEnabled: v.boolean(),
  scenarioId: v.nullable(recordNumber),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Transfer = v.InferOutput<typeof Transfer>;

export const NewTransferSettings = v.partial(TransferSettings);

export const NewTransfer = v.strictObject({
  label: uniqueName,
  method: TransferMethod,
  destinationType: DestinationType,
  destination: filledLine(200),
  conditions: filledText(2000),
  name: v.optional(filledLine(150)),
  summaryFormat: v.optional(text(1000)),
  settings: v.optional(NewTransferSettings),
  isEnabled: v.optional(v.boolean()),
  scenarioId: v.optional(v.nullable(recordNumber)),
});
export type NewTransfer = v.InferOutput<typeof NewTransfer>;

/** Body of a change of a transfer rule. Fields that are left out stay. */
export const TransferChanges = v.strictObject({
  ...v.partial(NewTransfer).entries,
  name: v.optional(v.nullable(filledLine(150))),
});
export type TransferChanges = v.InferOutput<typeof TransferChanges>;

export const TransferQuery = v.object({ ...PageQuery.entries, isEnabled: v.optional(flagInQuery) });
export type TransferQuery = v.InferOutput<typeof TransferQuery>;

export const TransferPage = v.strictObject({
  ...pageSchema('transfers', Transfer).entries,
  leadNowhere: v.array(recordNumber),
});
export const TransferDeleted = v.strictObject({ message: v.literal('Transfer deleted successfully') });
export const TransferEnvelope = v.strictObject({ transfer: Transfer });

export const descriptions = {
  TransferMethod: { is: 'How a call is put through: WARM after a word with the person, COLD at once' },
  DestinationType: { is: "The kind of a transfer's destination" },
  TransferSettings: {
    is: 'Settings of a transfer rule',
    fields: {
      ignore_business_hours:
        'Whether it also holds while the organization is closed. Without it, the rule holds only while `GET /v1/organization/hours` ' +
        'says that it is open',
    },
  },
  NewTransferSettings: { is: 'Settings of a transfer rule, as a body has them', like: 'TransferSettings' },
  Transfer: {
    is: 'A rule that says when a call is put through to a person, and to whom',
    fields: {
      label: 'Its name in lists. No other rule has it',
      name: 'Its name',
      method: 'How the call is put through',
      destinationType: 'What `destination` names',
      destination: 'Whom the call goes to: a department, the id of a member, or a phone number in E.164',
      conditions: 'When to transfer',
      summaryFormat:
        'The words to the person: a template with the placeholders {name}, {topic} and {summary}',
      settings: 'Its settings',
      isEnabled: 'Whether it is in use',
      scenarioId: 'The scenario that it belongs to, or null',
    },
  },
  NewTransfer: {
    is: 'The body to create a transfer rule',
    like: 'Transfer',
    fields: {
      name: 'Its name; the label when not given',
      destination:
        'Whom the call goes to: a department, the id of a member, or a valid phone number, international or national, without an ' +
        'extension',
      isEnabled: 'Whether it is in use; true when not given',
    },
  },
  TransferChanges: {
    is: 'The body to change a transfer rule',
    like: 'Transfer',
    fields: {
      name: 'Its name; null for the label',
      destination:
        'Whom the call goes to. The destination is checked with its type, also if the type alone changes',
    },
  },
  TransferQuery: {
    is: 'Which part of a list to read',
    like: 'PageQuery',
    fields: {
      isEnabled: 'Only rules in use (`true`), or only rules not in use (`false`); all when not given',
    },
  },
  TransferPage: {
    is: 'A page of transfer rules',
    fields: {
      transfers: 'The transfer rules of this page',
      leadNowhere:
        'Rules of this page without a number to dial: a department has none, and a member needs a `phone`, and must not be ' +
        'disabled. A caller is offered to leave a message instead',
    },
  },
  TransferDeleted: {
    is: 'The answer to the deletion of a transfer rule',
    fields: { message: 'Always the same sentence' },
  },
  TransferEnvelope: { is: 'A transfer rule', fields: { transfer: 'The transfer rule' } },
} satisfies Descriptions;

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
  `If another rule has the label, ${inAnySpelling}, the answer is a 409, and ` +
  '`error.existingId` names that rule.';

const transferId = pathId(transferLabel, numberInPath);

export const listTransfersEndpoint = endpoint({
  method: 'GET',
  path: '/v1/transfers',
  scope: 'transfers:read',
  access: ['GetItem', 'Query', 'Query list', 'BatchGetItem'],
  summary: 'List transfer rules, newest first',
  description: 'All rules, only rules in use, or only rules that are not in use.',
  params: {},
  query: TransferQuery,
  responses: { 200: TransferPage },
  errors: [],
  extension: true,
  example: {
    query: pageExample('transfers', example).query,
    response: { ...pageExample('transfers', example).response, leadNowhere: [example.id] },
  },
});

export const getTransferEndpoint = endpoint({
  method: 'GET',
  path: '/v1/transfers/{transferId}',
  scope: 'transfers:read',
  access: 'get',
  summary: 'Read a transfer rule',
  description: 'Also a rule that is not in use.',
  params: { transferId },
  responses: { 200: TransferEnvelope },
  record: { in: 'transfer' },
  errors: [404],
  extension: true,
  example: { params: { transferId: '1' }, response: { transfer: example } },
});

export const createTransferEndpoint = endpoint({
  method: 'POST',
  path: '/v1/transfers',
  scope: 'transfers:create',
  access: 'putAndUpdate',
  summary: 'Create a transfer rule',
  description: labelRule,
  params: {},
  body: NewTransfer,
  readOnly: readOnlyFields(Transfer, NewTransfer),
  responses: { 201: TransferEnvelope },
  record: { in: 'transfer' },
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

export const updateTransferEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/transfers/{transferId}',
  scope: 'transfers:write',
  access: 'putUpdateAndDelete',
  summary: 'Change a transfer rule',
  description: `Fields that are left out stay unchanged. ${labelRule}`,
  params: { transferId },
  body: TransferChanges,
  readOnly: readOnlyFields(Transfer, TransferChanges),
  responses: { 200: TransferEnvelope },
  record: { in: 'transfer' },
  errors: [404, 409],
  example: {
    params: { transferId: '1' },
    body: { isEnabled: false },
    response: { transfer: { ...example, isEnabled: false, updatedAt: '2026-11-03T09:30:00.000Z' } },
  },
});

export const deleteTransferEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/transfers/{transferId}',
  scope: 'transfers:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a transfer rule',
  description: 'To keep it out of use, set `isEnabled` to false instead.',
  params: { transferId },
  responses: { 200: TransferDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { transferId: '1' }, response: { message: 'Transfer deleted successfully' } },
});
