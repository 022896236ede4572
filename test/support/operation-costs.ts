import { createFaq } from '../../shared/faqs/faqs.ts';
import { everyOperation, fill, otherWays } from './every-operation.ts';
import { foundOrganizationAt, type TableAddress } from './organizations.ts';
import { recordedStore } from './recorded-store.ts';

/** What an operation asks of DynamoDB. */
export type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

/** The cost of an operation, and the actions that a role needs for all that it does. */
export interface OperationCost {
  /** Where the function has not seen the organization yet. */
  cold: Cost;
  /** Where it remembers the organization's head from a write before. */
  warm: Cost;
  actions: string[];
}

/** The exact cost of every operation, by its operationId, in two fresh organizations of a table as it is deployed. */
export async function costsOfOperations(table: TableAddress): Promise<Map<string, OperationCost>> {
  const cold = await carryOutAll(table, 'cold');
  const warm = await carryOutAll(table, 'warm');
  return new Map(
    [...cold].map(([name, { cost, actions }]) => [name, { cold: cost, warm: warm.get(name)!.cost, actions }]),
  );
}

/** Carries out every operation, each with a function's memory of its own: of nothing, or of one write before. */
async function carryOutAll(
  table: TableAddress,
  state: 'cold' | 'warm',
): Promise<Map<string, { cost: Cost; actions: string[] }>> {
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization.openLedger().ledger);
  // The lead goes last: others need it.
  const last = 'deleteLead';
  const names = [...Object.keys(everyOperation).filter((name) => name !== last), last];
  const results = new Map<string, { cost: Cost; actions: string[] }>();
  for (const [at, name] of names.entries()) {
    const { store, roundTrips, actions } = recordedStore(table);
    if (state === 'warm') {
      const faq = { question: `Sundays? ${at}`, answer: 'No' };
      await createFaq(organization.openLedger({ store }).ledger, faq);
    }
    const before = roundTrips();
    const { ledger, meter } = organization.openLedger({ store });
    await everyOperation[name]!(ledger, records);
    const cost: Cost = [roundTrips() - before, meter.readUnits, meter.writeUnits];
    await otherWays[name]?.(ledger, records);
    results.set(name, { cost, actions: [...actions].sort() });
  }
  return results;
}
