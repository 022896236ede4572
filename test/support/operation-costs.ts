import { type Cost, everyOperation, neededFirst } from './operations.ts';
import { fill } from './records.ts';
import { faults } from './faults.ts';
import { foundOrganizationAt, type TableAddress } from './organizations.ts';
import { recordedStore, type CallInterceptor } from './recorded-store.ts';

/** Cost of an operation, and the actions that its role needs. */
export interface OperationCost {
  cost: Cost;
  actions: string[];
}

/** Exact costs of every operation, by operationId, in a fresh organization of a deployed table. */
export async function costsOfOperations(table: TableAddress): Promise<Map<string, OperationCost>> {
  const alone = await carryOutAll(table, (_command, _input, send) => send());
  const amongOthers = await carryOutAll(table, meetingAnother());
  return new Map(
    [...alone].map(([name, { cost, actions }]) => {
      const all = new Set([...actions, ...amongOthers.get(name)!.actions]);
      return [name, { cost, actions: [...all].sort() }];
    }),
  );
}

/** Makes every other transaction fail by a conflict on the head, as if another writer had come first. */
function meetingAnother(): CallInterceptor {
  let transactions = 0;
  return (command, _input, send) => {
    if (command === 'TransactWriteItemsCommand' && transactions++ % 2 === 0) throw faults.conflict;
    return send();
  };
}

/** Carries out every operation, each in a function of its own. */
async function carryOutAll(
  table: TableAddress,
  around: CallInterceptor,
): Promise<Map<string, OperationCost>> {
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization);
  const onTable = [...everyOperation].flatMap(([operationId, { run, ...operation }]) =>
    run ? [{ operationId, run, ...operation }] : [],
  );
  const results = new Map<string, OperationCost>();
  for (const { operationId, reach, given, run, otherWay } of onTable.sort(neededFirst)) {
    const by = reach && { reach };
    const used = given ? await given(organization.openLedger(by).ledger, records) : records;
    const { store, roundTrips, actions } = recordedStore(table, {}, around);
    const [first, later] = [
      organization.openLedger({ store, ...by }),
      organization.openLedger({ store, ...by }),
    ] as const;
    await run(first.ledger, used, later.ledger);
    const sum = (unit: 'readUnits' | 'writeUnits') => first.capacity[unit] + later.capacity[unit];
    const cost: Cost = [roundTrips(), sum('readUnits'), sum('writeUnits')];
    await otherWay?.(first.ledger, used, later.ledger);
    results.set(operationId, { cost, actions: [...actions] });
  }
  return results;
}
