import type { LeftOut } from '../../support/vitest/left-out-reporter.ts';

const writeUnits =
  'DynamoDB Local says 4 write units of each small transaction, whatever its items, their indexes and what it replaces.';
const nothingFound = 'DynamoDB Local says no read units of a query that finds nothing.';

const aboutWrites: Record<string, RegExp> = {
  'shared/ledger/costs':
    /^(accept|cancel|create|delete|erase|invite|redeliver|replay|resend|rotate|send|test|update|submit|upsert)\w+ costs exactly the expected calls and units$/,
  'shared/ledger/list-changes': /^the counts of a long list are two units more/,
  'shared/ledger/holders': /may stay unchanged if the read set says so, and is not written then$/,
  'functional/lead-batch': /^a batch of leads of 100 is stored by a transaction for each 9/,
};

/** Tests that are not run on DynamoDB Local. */
export const leftOut: readonly LeftOut[] = [
  ...Object.entries(aboutWrites).map(([name, test]) => ({
    file: `test/${name}.test.ts`,
    test,
    why: writeUnits,
  })),
  { file: 'test/shared/ledger/due.test.ts', test: /^a worker counts its capacity/, why: nothingFound },
  {
    file: 'test/shared/ledger/costs.test.ts',
    test: /^(getAvailability|listAccessTokens|listInquiries|listLeadActivities) costs/,
    why: 'It reads what the writes before it store, and these are left out.',
  },
];
