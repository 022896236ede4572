import { findContracts, type Operation } from '../../infra/endpoints.ts';
import { costsOfOperations, type OperationCost } from '../support/operation-costs.ts';
import { withTable } from './database.ts';
import type { Budget, Measure } from './section.ts';

type Measured = Operation & OperationCost;

/** Reads of a record by its id of which a second record is part of the answer. */
const withSecondRecord: Record<string, string> = {
  getInquiry: 'the inquiry, then what its source recorded',
  getService: 'the service, then its scenario',
};

/** How many writes an operation is made of, where it is more than one. */
const writesOf: Record<string, number> = { sendSms: 2 };

/** What every operation asks of DynamoDB: exact, so the same on every machine. */
export const measureCosts: Measure = async ({ progress }) => {
  progress('carrying out every operation, cold and warm');
  const costs = await withTable(costsOfOperations);
  const { operations } = await findContracts();
  const measured = operations.flatMap((operation): Measured[] => {
    const cost = costs.get(operation.operationId);
    return cost ? [{ ...operation, ...cost }] : [];
  });
  const readsById = measured.filter(
    ({ endpoint: { method, path } }) => method === 'GET' && path.endsWith('}'),
  );
  const writes = measured.filter(({ endpoint }) => endpoint.method !== 'GET');
  return {
    title: 'What every operation asks of DynamoDB',
    about: [
      'Round trips are how often a function waits for DynamoDB: calls under way together are one. Units are the capacity ' +
        'that DynamoDB says it consumed. Each operation is carried out on records of up to 1 KB, once cold, by a ' +
        'function that knows nothing of the organization, and once warm, by one that remembers its head from a ' +
        'write before. These numbers are exact: the tests assert them.',
      'A read never uses the remembered head: what it answers is as of now.',
    ],
    budgets: [readBudget(readsById), writeBudget(writes)],
    tables: [
      {
        caption: 'Round trips, read units and write units',
        columns: ['Operation', 'Request', 'Cold: trips', 'read', 'write', 'Warm: trips', 'read', 'write'],
        rows: measured.map(({ operationId, endpoint, cold, warm }) => [
          operationId,
          `${endpoint.method} ${endpoint.path}`,
          ...cold,
          ...warm,
        ]),
      },
      {
        caption: 'Operations that need more round trips than the least, and why',
        columns: ['Operations', 'Trips', 'Why'],
        rows: [
          ...readsById
            .filter(({ operationId }) => operationId in withSecondRecord)
            .map(({ operationId, cold }) => [operationId, cold[0], withSecondRecord[operationId] ?? '']),
          [
            namesOf(writes.filter((write) => writeCount(write) === 1 && readsRecord(write))),
            '2 warm',
            'A record that the change depends on is read although the head is remembered',
          ],
          ...writes
            .filter((write) => writeCount(write) > 1)
            .map(({ operationId, cold, warm }) => [
              operationId,
              `${cold[0]} cold, ${warm[0]} warm`,
              'It is stored before the provider is asked, and after: two writes, each of which reads a record',
            ]),
        ],
      },
    ],
    plots: [],
  };
};

function readBudget(reads: Measured[]): Budget {
  const isMet = ({ operationId, cold, warm }: Measured) =>
    Math.max(cold[0], warm[0]) <= (operationId in withSecondRecord ? 2 : 1);
  return {
    what: 'Round trips of a read by id',
    limit: '1; 2 where a second record is part of the answer',
    measured: byTrips(reads, ({ cold, warm }) => Math.max(cold[0], warm[0])),
    met: reads.length > 0 && reads.every(isMet),
  };
}

function writeBudget(writes: Measured[]): Budget {
  const isMet = (write: Measured) =>
    write.cold[0] <= 2 * writeCount(write) &&
    write.warm[0] <= (readsRecord(write) ? 2 : 1) * writeCount(write);
  return {
    what: 'Round trips of a write',
    limit: '2; 1 where the head is remembered, unless a record must be read',
    measured: `cold ${byTrips(writes, ({ cold }) => cold[0])}; warm ${byTrips(writes, ({ warm }) => warm[0])}`,
    met: writes.length > 0 && writes.every(isMet),
  };
}

const writeCount = ({ operationId }: Measured) => writesOf[operationId] ?? 1;
/** With the head remembered, all that it still reads are records. */
const readsRecord = ({ warm: [, readUnits] }: Measured) => readUnits > 0;
const namesOf = (operations: Measured[]) => operations.map(({ operationId }) => operationId).join(', ');

/** Such as `1 (8 operations), 2 (getService)`. */
function byTrips(operations: Measured[], tripsOf: (operation: Measured) => number): string {
  const groups = Map.groupBy(operations, tripsOf);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([trips, group]) => `${trips} (${group.length > 2 ? `${group.length} operations` : namesOf(group)})`)
    .join(', ');
}
