/**
 * What a function does with the ledger, and the IAM actions it needs: on the table, on list indexes
 * (`index`), on the index of due records (`due`), or on the queue counter (`turn`). Each part of a
 * transaction needs its own action.
 *
 * - `get` reads records by id; `all` whole collections; `page` a page of one; `list` a page of a list in an
 *   index; `join` either, and the records that its members refer to.
 * - `write` adds and changes records that stay in their lists; `rename` also changes a unique value; `delete`
 *   also removes records, or lets them leave a list, or join one of a kind that has many names.
 * - `due` reads what is due for a worker, and writes as `write` does.
 *
 * A function that may use the table reads an item as it starts; one that writes may take a queue number, and
 * give it up.
 */
export const accesses = {
  none: [],
  get: ['GetItem'],
  all: ['GetItem', 'Query'],
  page: ['GetItem', 'Query'],
  list: ['GetItem', 'Query index'],
  join: ['GetItem', 'Query', 'Query index', 'BatchGetItem'],
  write: ['GetItem', 'PutItem', 'UpdateItem turn'],
  rename: ['GetItem', 'PutItem', 'DeleteItem', 'UpdateItem turn'],
  delete: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem turn'],
  due: ['GetItem', 'Query due', 'PutItem', 'UpdateItem turn'],
} as const;

export type Access = keyof typeof accesses;
