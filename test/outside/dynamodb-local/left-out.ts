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
    file: 'test/shared/domain/sms/costs.test.ts',
    why: writeUnits,
  },
  {
    file: 'test/shared/ledger/due.test.ts',
    test: /^a worker counts its capacity/,
    why: nothingFound,
  },
  {
    file: 'test/shared/ledger/list-changes.test.ts',
    test: /^the counts of a long list are two units more/,
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
