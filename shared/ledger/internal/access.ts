import { keyPatterns } from './keys.ts';

/**
 * What a function does with the ledger, and the IAM actions it needs: on an organization's items, on list
 * indexes (`index`), on search indexes (`search`), on the index of due records (`due`), on the queue counter (`queue`),
 * on the grants of tokens (`grant`), or also on phone numbers (`number`). Each part of a transaction needs its own action.
 *
 * - `grant` reads what a token grants.
 * - `get` reads records by id; `all` whole collections; `page` a page of one; `list` a page of a list in an
 *   index; `join` either, and the records that its members refer to.
 * - `search` reads records by id, a page of a collection or of a list, and finds records by their texts.
 * - `write` adds and changes records that stay in their lists; `rename` also changes a unique value; `note` also
 *   lets records leave a list, or join one of a kind that has many names, and reads a page of a list; `delete`
 *   writes all of it, and removes records. What a write stores counts, not what it is called: a change of a lead
 *   has `delete`, and an inquiry that comes in or is marked as read has `note`.
 * - `count` writes as `write` does, and counts by the day.
 * - `erase` reads a page of a list, and writes as `delete` does.
 * - `due` reads what is due for a worker, and writes as `write` does.
 * - `receive` reads whose a phone number is, a page of a list in an index, and writes as `delete` does.
 *
 * A function that may use the table reads an item that is not there as it starts (`warmUp`, where it reads
 * no other item by its key); one that writes may take a queue number, and give it up.
 */
export const accesses = {
  none: [],
  grant: ['GetItem grant'],
  get: ['GetItem'],
  all: ['GetItem warmUp', 'Query'],
  page: ['GetItem', 'Query'],
  list: ['GetItem', 'Query index'],
  join: ['GetItem', 'Query', 'Query index', 'BatchGetItem'],
  search: ['GetItem', 'Query', 'Query index', 'Query search'],
  write: ['GetItem', 'PutItem', 'UpdateItem queue'],
  count: ['GetItem', 'PutItem', 'UpdateItem', 'UpdateItem queue'],
  rename: ['GetItem', 'PutItem', 'DeleteItem', 'UpdateItem queue'],
  note: ['GetItem', 'Query index', 'PutItem', 'UpdateItem', 'UpdateItem queue'],
  delete: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  erase: ['GetItem', 'Query index', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
  due: ['GetItem', 'Query due', 'PutItem', 'UpdateItem queue'],
  receive: ['GetItem number', 'Query index', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem queue'],
} as const;

export type Access = keyof typeof accesses;
/** What an endpoint can have: the authorizer alone reads grants, and workers alone what is due and whose a number is. */
export type EndpointAccess = Exclude<Access, 'grant' | 'due' | 'receive'>;
type Action = (typeof accesses)[Access][number];

/** What the writes of some functions reach besides an organization's items: `grants`, where they issue tokens. */
export type FurtherKeys = 'grants';

/** What a function reaches in the table, as its definition says it. */
export interface Reach {
  access: Access;
  /** What its writes reach besides an organization's items. */
  alsoWrites?: FurtherKeys | undefined;
  /** The worker's name, if it is one: it reads what is due for itself alone. */
  worker?: string | undefined;
}

/** One IAM action, and what it is allowed for. */
export interface Permission {
  action: 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
  on: 'table' | 'list indexes' | 'search indexes' | 'due index';
  /** IAM patterns: each partition key of a call must be like one of them. */
  keys: readonly string[];
  /** The only operation that it may be a part of, and it may not be called by itself. */
  within?: 'TransactWriteItems';
}

/** The permissions that a function needs: the only place that says which keys which action may reach. */
export function permissionsOf(reach: Reach): Permission[] {
  return accesses[reach.access].map((action) => permissionOf(action, reach));
}

function permissionOf(action: Action, { alsoWrites, worker }: Reach): Permission {
  const { organization, queue, grant, number, warmUp, dueOf } = keyPatterns;
  switch (action) {
    case 'GetItem':
      return { action, on: 'table', keys: [warmUp, organization] };
    case 'GetItem warmUp':
      return { action: 'GetItem', on: 'table', keys: [warmUp] };
    case 'GetItem grant':
      return { action: 'GetItem', on: 'table', keys: [warmUp, grant] };
    case 'GetItem number':
      return { action: 'GetItem', on: 'table', keys: [warmUp, organization, number] };
    case 'BatchGetItem':
    case 'Query':
      return { action, on: 'table', keys: [organization] };
    case 'Query index':
      return { action: 'Query', on: 'list indexes', keys: [organization] };
    case 'Query search':
      return { action: 'Query', on: 'search indexes', keys: [organization] };
    case 'Query due':
      if (worker === undefined) throw new Error('Only a worker can read what is due');
      return { action: 'Query', on: 'due index', keys: [dueOf(worker)] };
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem': {
      const further = alsoWrites === 'grants' ? [grant] : [];
      // Every write of data is a transaction, so nothing else is allowed to write it.
      return { action, on: 'table', keys: [organization, ...further], within: 'TransactWriteItems' };
    }
    case 'UpdateItem queue':
      return { action: 'UpdateItem', on: 'table', keys: [queue] };
  }
}
