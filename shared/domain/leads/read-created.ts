import type { Lead } from '../../contract/leads.ts';
import type { Ledger } from '../../ledger/index.ts';
import { leads, toLead } from './lead-record.ts';

/** Result of a lead that a batch created before. If the lead has changed since, the result has only its id. */
export interface CreatedBefore {
  index: number;
  status: 'ok';
  lead: Lead | Pick<Lead, 'id'>;
}

/** Results of the leads that the batch created when it came before with its `Idempotency-Key`. One round trip. */
export function readCreated(ledger: Ledger): Promise<CreatedBefore[]> {
  return Promise.all(
    ledger.keptRecords(leads).map(async (kept): Promise<CreatedBefore> => {
      const { item: index = 0, number } = kept;
      const record = await ledger.getAsKept(leads, kept);
      return { index, status: 'ok', lead: record ? toLead(record) : { id: ledger.idOf(leads, number) } };
    }),
  );
}
