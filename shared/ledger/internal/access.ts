import { keyPatterns } from './keys.ts';

/**
 * Action that a function may do with the table: an action of DynamoDB, and its target if the target is not an
 * organization's records.
 *
 * - `list`: an index of lists.
 * - `search`: an index of searchable fields.
 * - `due`: the index of items that are due for a worker.
 * - `grant`: the grants of tokens. Writes of grants are parts of transactions. `TransactGetItems grant` reads the last uses
 *   of tokens.
 * - `use`: the note in a grant that its token is used.
 * - `number`: the organization of a phone number.
 * - `warmUp`: a key without an item, for the first read of a starting function. `GetItem` allows this, too.
 * - `sent`: cursors, deliveries and receivers' answers of webhooks.
 * - `cursor`: cursors only.
 * - `answer`: receivers' answers only.
 * - `prepared`: texts that are prepared from the configuration.
 *
 * A transaction needs the permission of each of its parts. `PutItem` also allows taking a number in the queue of
 * writers and giving it up. `GetItem` and `GetItem number` also allow reading an organization's items in one
 * transaction. A function does this if a plain read met a write, or did not find a record.
 */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Query list'
  | 'Query search'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'UpdateItem prepared'
  | 'UpdateItem answer'
  | 'PutItem grant'
  | 'UpdateItem grant'
  | 'DeleteItem grant'
  | 'TransactGetItems grant'
  | WorkerAction;

/** Actions that no endpoint has. */
type WorkerAction =
  | 'GetItem grant'
  | 'UpdateItem use'
  | 'GetItem number'
  | 'GetItem warmUp'
  | 'Query due'
  | 'ConditionCheckItem'
  | 'UpdateItem sent'
  | 'DeleteItem cursor';

/**
 * Combinations of actions that many endpoints share. The actions are DynamoDB's, not HTTP's: an HTTP PUT of a lead can
 * also delete an item, to release the lead's email.
 */
const accesses = {
  none: [],
  get: ['GetItem'],
  readPage: ['GetItem', 'Query'],
  readPageAndList: ['GetItem', 'Query', 'Query list'],
  /** Adds and changes records that stay in their lists. */
  put: ['GetItem', 'PutItem'],
  /** Also raises daily counts, lets records leave lists, or lets records join lists of a kind with many names. */
  putAndUpdate: ['GetItem', 'PutItem', 'UpdateItem'],
  /** Also deletes records, and releases unique values or the last booking of a day. */
  putUpdateAndDelete: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
} as const satisfies Record<string, readonly TableAction[]>;

export type Access<Action = TableAction> = keyof typeof accesses | readonly Action[];
export type EndpointAccess = Access<Exclude<TableAction, WorkerAction>>;

export const actionsOf = (access: Access): readonly TableAction[] =>
  typeof access === 'string' ? accesses[access] : access;

/** Part of a function's definition that decides its permissions. */
export interface Reach {
  access: Access;
  /** True for the operator, whose writes also reach grants and phone numbers. */
  isOperator?: true;
  /** Name of a worker. A worker reads only the records that are due for it. */
  worker?: string | undefined;
}

/** Reach of the operator's command line in the ledger of an organization. No function has this reach. */
export const operator: Reach = {
  access: [
    'GetItem number',
    'BatchGetItem',
    'TransactGetItems grant',
    'Query',
    'Query list',
    'Query search',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'ConditionCheckItem',
    'UpdateItem sent',
    'DeleteItem cursor',
  ],
  isOperator: true,
};

/** One IAM action, with the resources and keys that it is allowed for. */
export interface Permission {
  action:
    | 'GetItem'
    | 'BatchGetItem'
    | 'Query'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
    | 'ConditionCheckItem';
  on: 'table' | 'list indexes' | 'search indexes' | 'due index';
  /** IAM patterns. Each partition key of a call must match one of them. */
  keys: readonly string[];
  /** Kind of transaction that may contain the action. Undefined if the action is allowed as a single call. */
  within?: 'TransactWriteItems' | 'TransactGetItems';
}

/**
 * Permissions of a function's role, in any organization. `Lock` narrows them to one organization. No other place says
 * which keys an action may reach.
 */
export function permissionsOf(reach: Reach): Permission[] {
  const actions = actionsOf(reach.access);
  const queue: Permission = { action: 'UpdateItem', on: 'table', keys: [keyPatterns.queue] };
  return [
    ...actions.flatMap((action) => permissionOf(action, reach)),
    ...(actions.includes('PutItem') ? [queue] : []),
  ];
}

function permissionOf(action: TableAction, { isOperator, worker }: Reach): Permission | Permission[] {
  const { organization, cursors, deliveries, answers, prepared, grant, number, warmUp, dueOf } = keyPatterns;
  const snapshot: Permission = {
    action: 'GetItem',
    on: 'table',
    keys: [organization],
    within: 'TransactGetItems',
  };
  switch (action) {
    case 'GetItem':
      return [{ action, on: 'table', keys: [warmUp, organization] }, snapshot];
    case 'GetItem grant':
      return { action: 'GetItem', on: 'table', keys: [warmUp, grant] };
    case 'UpdateItem use':
      return { action: 'UpdateItem', on: 'table', keys: [grant] };
    case 'TransactGetItems grant':
      return { ...snapshot, keys: [grant] };
    case 'GetItem number':
      return [
        { action: 'GetItem', on: 'table', keys: [warmUp, organization, number] },
        // The operator adds a number to an organization, and reads it at the version of the organization's head.
        isOperator ? { ...snapshot, keys: [organization, number] } : snapshot,
      ];
    case 'GetItem warmUp':
      return { action: 'GetItem', on: 'table', keys: [warmUp] };
    case 'BatchGetItem':
    case 'Query':
      return { action, on: 'table', keys: [organization] };
    case 'Query list':
      return { action: 'Query', on: 'list indexes', keys: [organization] };
    case 'Query search':
      return { action: 'Query', on: 'search indexes', keys: [organization] };
    case 'Query due':
      if (worker === undefined) throw new Error('Only a worker can read what is due');
      return { action: 'Query', on: 'due index', keys: [dueOf(worker)] };
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'ConditionCheckItem': {
      const further = isOperator ? [grant, number] : [];
      // Every write of the ledger is a transaction, so these items are not written outside a transaction.
      return { action, on: 'table', keys: [organization, ...further], within: 'TransactWriteItems' };
    }
    case 'PutItem grant':
      return { action: 'PutItem', on: 'table', keys: [grant], within: 'TransactWriteItems' };
    case 'UpdateItem grant':
      return { action: 'UpdateItem', on: 'table', keys: [grant], within: 'TransactWriteItems' };
    case 'DeleteItem grant':
      return { action: 'DeleteItem', on: 'table', keys: [grant], within: 'TransactWriteItems' };
    case 'UpdateItem sent':
      return { action: 'UpdateItem', on: 'table', keys: [cursors, deliveries, answers] };
    case 'UpdateItem prepared':
      return { action: 'UpdateItem', on: 'table', keys: [prepared] };
    case 'DeleteItem cursor':
      return { action: 'DeleteItem', on: 'table', keys: [cursors] };
    case 'UpdateItem answer':
      return { action: 'UpdateItem', on: 'table', keys: [answers] };
  }
}

const noItem = [keyPatterns.warmUp];
/**
 * Permissions of the role that tests which calls give their partition keys to IAM conditions. The list has each kind of
 * call that the AWS documentation leaves open. No item has the only key that the role reaches, so nothing is read or
 * deleted.
 */
export const probePermissions: readonly Permission[] = [
  { action: 'GetItem', on: 'table', keys: noItem },
  { action: 'DeleteItem', on: 'table', keys: noItem, within: 'TransactWriteItems' },
  { action: 'Query', on: 'list indexes', keys: noItem },
];
