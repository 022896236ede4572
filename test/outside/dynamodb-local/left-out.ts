import type { LeftOut } from '../../support/left-out.ts';

const writeUnits =
  'DynamoDB Local says 4 write units of each small transaction, whatever its items, their indexes and what it replaces.';

const nothingFound = 'DynamoDB Local says no read units of a query that finds nothing.';

/** Tests that are not run on DynamoDB Local. */
export const leftOut: readonly LeftOut[] = [
  {
    file: 'test/shared/ledger/costs.test.ts',
    test: /^(cancel|create|delete|erase|redeliver|replay|rotate|send|test|update|submit|upsert)\w+ costs exactly the expected calls and units$/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/keyed-request.test.ts',
    test: /^a request with a key costs two write units more/,
    why: writeUnits,
  },
  {
    file: 'test/shared/domain/sms/costs.test.ts',
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/ledger.test.ts',
    test: /^what a write costs (two round trips|nothing is remembered|a delete:)/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/due.test.ts',
    test: /^a record is in the due index at a unit to add it/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/due.test.ts',
    test: /^a worker counts its capacity/,
    why: nothingFound,
  },
  {
    file: 'test/shared/ledger/event-lists.test.ts',
    test: /^each position in an index costs a unit/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/list-changes.test.ts',
    test: /^what a change of lists costs /,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/many-names.test.ts',
    test: /^what they cost (a write that lets a record join or leave|any other write)/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/unique-values.test.ts',
    test: /^a name that only changes its case stays held, and nothing of it is written$/,
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/holders.test.ts',
    test: /may stay unchanged if the read set says so, and is not written then$/,
    why: writeUnits,
  },
  {
    file: 'test/functional/lead-batch.test.ts',
    test: /^a batch of leads of 100 is stored by a transaction for each 22/,
    why: writeUnits,
  },
];
