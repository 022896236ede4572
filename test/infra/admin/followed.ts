import { listEvents } from '../../../shared/domain/feed/list-events.ts';
import { withRecords } from '../../../shared/domain/feed/with-records.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';

/** A copy of an organization's records, and the number of the last event that it knows. */
export interface Copy {
  records: ReadonlyMap<string, unknown>;
  after: number;
}

/** Brings a copy up to date by the events since, as a client does; without a copy, from the first event on. */
export async function followed(ledger: Ledger, copy: Copy = { records: new Map(), after: 0 }): Promise<Copy> {
  const records = new Map(copy.records);
  for (let { after } = copy; ;) {
    const query = { after: String(after), limit: 100 };
    const page = await withRecords(ledger, await listEvents(ledger, query, () => true), () => '');
    for (const { type, id, record } of page.records)
      if (record) records.set(`${type} ${id}`, record);
      else records.delete(`${type} ${id}`);
    after = page.nextAfter;
    if (after === page.version) return { records, after };
  }
}
