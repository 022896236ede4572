import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/index.ts';
import { parseRecord } from '../../../shared/ledger/internal/stored-record.ts';
import { TableReads, type TableAccess } from './table-reads.ts';

/**
 * Pages of the records of a collection by ascending number. Others may write meanwhile: each record comes
 * once, as it is when its page is read.
 * @throws OtherForm for data of another version of the code; Failure `unavailable` as `TableReads`
 */
export async function* everyRecord<C extends Collection>(
  access: TableAccess,
  organization: OrganizationCode,
  collection: C,
): AsyncGenerator<RecordOf<C>[]> {
  const { pk } = recordKey(organization, collection.name, 0);
  for await (const items of new TableReads(access).partition(pk))
    yield items.map((item) => parseRecord(collection, item));
}
