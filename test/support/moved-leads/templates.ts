import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { namesOf } from './lead-names.ts';
import type { MovedLeads, Templates } from './moved-leads.ts';

/** Items that the service stores for a new organization, and for its first lead that moves three times. */
export async function templatesFor(
  leads: MovedLeads,
  ledger: Ledger,
  table: { client: DynamoDBClient; tableName: string },
): Promise<Templates> {
  const founded = await allItems(table);
  const { id } = await createLead(ledger, namesOf(1, leads.size));
  for (const status of ['active', 'quoted', 'won'] as const) await updateLead(ledger, id, { status });
  const items = await allItems(table);
  const only = (isIt: (item: Item) => boolean): Item => {
    const item = items.find(isIt);
    if (!item) throw new Error('The service has not stored what was expected');
    return item;
  };
  const { pk } = recordKey(leads.code, 'LEAD', 1);
  return {
    founded,
    lead: only((item) => item['pk'] === pk),
  };
}

/** Items of a whole table. */
async function allItems({
  client,
  tableName,
}: {
  client: DynamoDBClient;
  tableName: string;
}): Promise<Item[]> {
  const items: Item[] = [];
  const documents = DynamoDBDocumentClient.from(client);
  for await (const { Items = [] } of paginateScan({ client: documents }, { TableName: tableName }))
    items.push(...Items);
  return items;
}
