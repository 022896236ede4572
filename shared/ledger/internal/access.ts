import { keyPatterns } from './keys.ts';

/**
 * IAM actions of a function's role, by what the function may do. `EndpointAccess` and `Worker` name one of
 * them.
 *
 * Reading:
 * - `getGrant` reads what a token grants.
 * - `get` reads records by id.
 * - `readPage` reads records by id, and a page of a collection or all of it.
 * - `readList` reads records by id, and a page of a list in an index.
 * - `readPageAndList` reads what `readPage` and `readList` read.
 * - `readAndJoin` reads what `readPageAndList` reads, and the records to which those of a page refer.
 * - `search` reads what `readPageAndList` reads, and finds records by their searchable fields.
 * - `searchAndJoin` reads what `search` reads, and the records to which those of a page refer.
 * - `searchAndPrepare` reads what `search` reads, and stores texts that are prepared from the configuration.
 * - `readDeliveries` reads what a webhook sent, and the answers of its receiver.
 *
 * Writing. A name lists the DynamoDB actions, not the HTTP method. A PUT of a lead can give up an email
 * address.
 * - `put` adds and changes records that stay in their lists.
 * - `putAndUpdate` also counts by the day, or lets records leave a list, or join one of a kind that has many
 *   names.
 * - `putAndMove` allows `putAndUpdate`, and reads a page of a list.
 * - `putAndRelease` also gives up a unique value, or the last booking of a day.
 * - `putMoveAndRelease` writes all of that, and deletes records.
 * - `book` allows `put`, and reads a collection, and what is booked.
 * - `rebook` allows `putMoveAndRelease`, and reads as `book` does.
 * - `erase` allows `putMoveAndRelease`, and reads a page of a list.
 * - `eraseWithAnswers` allows `erase`, and empties what receivers of webhooks answered about a person.
 * - `putDue` finds the records that are due for a worker, and changes them.
 * - `findDue` finds what is due for a worker, and reads nothing of it.
 * - `receiveSms` allows `putMoveAndRelease`, and reads which organization has a phone number.
 * - `sendWebhooks` reads events and records, writes what was sent, and changes records that stay in their lists.
 * - `operate` is of no function: it is all that the operator's command line does in the ledger of an organization.
 *
 * A transaction needs the permission of each of its parts. More permissions come with every access but `none`:
 * - A function reads an item that does not exist as it starts (`warmUp`).
 * - `GetItem` and `GetItem number` also allow to read an organization's items in one transaction (`snapshot`). A
 *   function does so if a plain read met a write, or did not find a record.
 * - A function that writes may take a number in the queue of writers, and give it up (`queue`).
 */
export const accesses = {
  none: [],
  getGrant: ['GetItem grant'],
  get: ['GetItem'],
  readPage: ['GetItem', 'Query'],
  readList: ['GetItem', 'Query list'],
  readPageAndList: ['GetItem', 'Query', 'Query list'],
  readAndJoin: ['GetItem', 'Query', 'Query list', 'BatchGetItem'],
  search: ['GetItem', 'Query', 'Query list', 'Query search'],
  searchAndJoin: ['GetItem', 'Query', 'Query list', 'Query search', 'BatchGetItem'],
  searchAndPrepare: ['GetItem', 'Query', 'Query list', 'Query search', 'UpdateItem prepared'],
  readDeliveries: ['GetItem', 'Query', 'BatchGetItem'],
  put: ['GetItem', 'PutItem', 'UpdateItem queue'],
  putAndUpdate: ['GetItem', 'PutItem', 'UpdateItem', 'UpdateItem queue'],
  putAndMove: ['GetItem', 'Query list', 'PutItem', 'UpdateItem', 'UpdateItem queue'],
  putAndRelease: ['GetItem', 'PutItem', 'DeleteItem', 'UpdateItem queue'],
  putMoveAndRelease: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  book: ['GetItem', 'Query', 'PutItem', 'UpdateItem queue'],
  rebook: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  erase: ['GetItem', 'Query list', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  eraseWithAnswers: [
    'GetItem',
    'Query',
    'Query list',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'UpdateItem queue',
    'UpdateItem answer',
  ],
  putDue: ['GetItem', 'Query due', 'PutItem', 'UpdateItem queue'],
  findDue: ['GetItem warmUp', 'Query due'],
  receiveSms: ['GetItem number', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  sendWebhooks: [
    'GetItem',
    'Query',
    'Query list',
    'PutItem',
    'UpdateItem queue',
    'UpdateItem sent',
    'DeleteItem cursor',
  ],
  operate: [
    'GetItem number',
    'BatchGetItem',
    'Query',
    'Query list',
    'Query search',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'ConditionCheckItem',
    'UpdateItem queue',
    'UpdateItem sent',
    'DeleteItem cursor',
  ],
} as const;

export type Access = keyof typeof accesses;
/** Access of a function. */
export type FunctionAccess = Exclude<Access, 'operate'>;
/**
 * Access of an endpoint. Only the authorizer reads grants, and only workers read due records and the owners
 * of phone numbers, and send webhooks.
 */
export type EndpointAccess = Exclude<
  FunctionAccess,
  'getGrant' | 'putDue' | 'findDue' | 'receiveSms' | 'sendWebhooks'
>;
type Action = (typeof accesses)[Access][number];

/**
 * Keys that some writes reach besides an organization's items. `grants`: the function issues or revokes
 * tokens.
 */
export type FurtherKeys = 'grants';

/** Part of a function's definition that its permissions follow from. */
export interface Reach {
  access: Access;
  /** Keys that its writes reach besides an organization's items. */
  alsoWrites?: FurtherKeys | undefined;
  /** Name of a worker. A worker reads only the records that are due for it. */
  worker?: string | undefined;
}

/** One IAM action, with the resources and keys that it is allowed for. */
export interface Permission {
  action:
    'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';
  on: 'table' | 'list indexes' | 'search indexes' | 'due index';
  /** IAM patterns. Each partition key of a call must match one of them. */
  keys: readonly string[];
  /** Kind of transaction whose parts the action is allowed for. Undefined if the action is allowed as a single call. */
  within?: 'TransactWriteItems' | 'TransactGetItems';
}

/**
 * Permissions of a function's role, in any organization. `Lock` narrows them to one. The only place that says
 * which keys an action may reach.
 */
export function permissionsOf(reach: Reach): Permission[] {
  return accesses[reach.access].flatMap((action) => permissionOf(action, reach));
}

function permissionOf(action: Action, { access, alsoWrites, worker }: Reach): Permission | Permission[] {
  const { organization, queue, cursors, deliveries, answers, prepared, grant, number, warmUp, dueOf } =
    keyPatterns;
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
    case 'GetItem number':
      return [
        { action: 'GetItem', on: 'table', keys: [warmUp, organization, number] },
        // The operator adds a number to an organization, and reads it at the version of the organization's head.
        access === 'operate' ? { ...snapshot, keys: [organization, number] } : snapshot,
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
      const further = access === 'operate' ? [grant, number] : alsoWrites === 'grants' ? [grant] : [];
      // Every write of the ledger is a transaction, so its items are not written outside of one.
      return { action, on: 'table', keys: [organization, ...further], within: 'TransactWriteItems' };
    }
    case 'UpdateItem queue':
      return { action: 'UpdateItem', on: 'table', keys: [queue] };
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
 * Permissions of the role that asks where DynamoDB supplies partition keys to conditions. The list has each kind of call for
 * which AWS does not document the keys. No item has the only key that the role reaches, so nothing is read or deleted.
 */
export const probePermissions: readonly Permission[] = [
  { action: 'GetItem', on: 'table', keys: noItem },
  { action: 'DeleteItem', on: 'table', keys: noItem, within: 'TransactWriteItems' },
  { action: 'Query', on: 'list indexes', keys: noItem },
];
