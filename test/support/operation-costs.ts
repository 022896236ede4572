import { recordedStore } from './store/recorded-store.ts';
import { type Cost, everyOperation, neededFirst } from './operations.ts';
import { fill } from './filled-records.ts';
import { foundOrganizationAt, type TableAddress } from './stored-organization.ts';

/** Exact costs of every operation, by operationId, in a fresh organization of a deployed table. */
export async function costsOfOperations(table: TableAddress): Promise<Map<string, Cost>> {
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization);
  const onTable = [...everyOperation].flatMap(([operationId, { run, ...operation }]) =>
    run ? [{ operationId, run, ...operation }] : [],
  );
  const costs = new Map<string, Cost>();
  for (const { operationId, reach, given, run } of onTable.sort(neededFirst)) {
    const by = reach && { reach };
    const used = given ? await given(organization.openLedger(by).ledger, records) : records;
    const { store, roundTrips } = recordedStore(table);
    const [first, later] = [
      organization.openLedger({ store, ...by }),
      organization.openLedger({ store, ...by }),
    ] as const;
    await run(first.ledger, used, later.ledger);
    const sum = (unit: 'readUnits' | 'writeUnits') => first.capacity[unit] + later.capacity[unit];
    costs.set(operationId, [roundTrips(), sum('readUnits'), sum('writeUnits')]);
  }
  return costs;
}
