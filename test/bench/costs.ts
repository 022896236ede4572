import { findContracts, type Operation } from '../../infra/functions.ts';
import { costsOfOperations } from '../support/operation-costs.ts';
import type { Cost } from '../support/operations.ts';
import { withTable } from './database.ts';
import type { Budget, Measure } from './section.ts';

type Measured = Operation & { cost: Cost };

/** Reads of a record whose answer includes a second record. */
const withSecondRecord: Record<string, string> = {
  getInquiry: 'the inquiry, then what its source recorded',
  getService: 'the service, then its scenario',
};

/**
 * Writes with more than two round trips, since one read decides about the next: their number, and the reason.
 */
const longerWrites: Record<string, { trips: number; why: string }> = {
  createInquiry: {
    trips: 4,
    why: 'who has its external id, its email and its phone number; then that lead; then how many have its tag; then the write',
  },
  updateInquiry: {
    trips: 3,
    why: 'the inquiry; then its lead, and what its source recorded; then the write',
  },
  sendSms: {
    trips: 4,
    why: 'It is stored before the provider is asked, and after: two writes, each of which reads a record',
  },
};

/** Measures the calls of each operation to DynamoDB. They are exact, so every machine has the same. */
export const measureCosts: Measure = async ({ progress }) => {
  progress('carrying out every operation');
  const costs = await withTable(costsOfOperations);
  const { operations } = await findContracts();
  const measured = operations.flatMap((operation): Measured[] => {
    const cost = costs.get(operation.operationId);
    return cost ? [{ ...operation, cost }] : [];
  });
  const readsById = measured.filter(
    ({ endpoint: { method, path } }) => method === 'GET' && path.endsWith('}'),
  );
  const writes = measured.filter(({ endpoint }) => endpoint.method !== 'GET');
  return {
    title: 'What every operation asks of DynamoDB',
    about: [
      'Round trips are how often a function waits for DynamoDB: calls under way together are one. Units are the capacity ' +
        'that DynamoDB says it consumed. Each operation is carried out on records of up to 1 KB, in an organization in ' +
        'which nobody else writes at the same time. These numbers are exact: the tests assert them.',
      'Nothing is remembered from one request to the next, since writes of an organization come to all functions. Within ' +
        'a request it is: each further item of a batch or an import goes on from the head that the last one left.',
    ],
    budgets: [readBudget(readsById), writeBudget(writes)],
    tables: [
      {
        caption: 'Round trips, read units and write units',
        columns: ['Operation', 'Request', 'Trips', 'Read units', 'Write units'],
        rows: measured.map(({ operationId, endpoint, cost }) => [
          operationId,
          `${endpoint.method} ${endpoint.path}`,
          ...cost,
        ]),
      },
      {
        caption: 'Operations that need more round trips than the least, and why',
        columns: ['Operations', 'Trips', 'Why'],
        rows: [
          ...readsById
            .filter(({ operationId }) => operationId in withSecondRecord)
            .map(({ operationId, cost }) => [operationId, cost[0], withSecondRecord[operationId] ?? '']),
          ...writes
            .filter(({ operationId }) => operationId in longerWrites)
            .map(({ operationId, cost }) => [operationId, cost[0], longerWrites[operationId]?.why ?? '']),
        ],
      },
    ],
  };
};

function readBudget(reads: Measured[]): Budget {
  const isMet = ({ operationId, cost }: Measured) => cost[0] <= (operationId in withSecondRecord ? 2 : 1);
  return {
    what: 'Round trips of a read by id',
    limit: '1; 2 where a second record is part of the answer',
    measured: byTrips(reads),
    met: reads.length > 0 && reads.every(isMet),
  };
}

function writeBudget(writes: Measured[]): Budget {
  const isMet = ({ operationId, cost }: Measured) => cost[0] <= (longerWrites[operationId]?.trips ?? 2);
  return {
    what: 'Round trips of a write',
    limit: '2; 3 or 4 where what is read says what to read next, or it is two writes',
    measured: byTrips(writes),
    met: writes.length > 0 && writes.every(isMet),
  };
}

const namesOf = (operations: Measured[]) => operations.map(({ operationId }) => operationId).join(', ');

/** Groups operations by round trips, such as `1 (8 operations), 2 (getService)`. */
function byTrips(operations: Measured[]): string {
  const groups = Map.groupBy(operations, ({ cost }) => cost[0]);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([trips, group]) => `${trips} (${group.length > 2 ? `${group.length} operations` : namesOf(group)})`)
    .join(', ');
}
