import { DeleteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Attributes } from './stored-items.ts';

/** What records of a collection have that those of before lack. */
const added: Record<string, RegExp> = {
  LEAD: /^(gsi[1678][ps]k|updatedAt|flaggedInquiries|isOptedOut)$/,
  INQUIRY: /^(gsi[45][ps]k|updatedAt|isFlagged|givenPhone)$/,
};
const addedStates = /^(PIPELINE|INQUIRY#4#.*)$/;
const addedItems = /^(PIPELINE(#.*)?|INQUIRY#[45]#.*#LIST) |^UNIQUE (INQUIRY|MESSAGE)\./;

const without = (names: RegExp, item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.test(name)));

/**
 * Makes of a whole organization what it would be had it been stored before there were pipelines, leads by status and by name,
 * inquiries by tag, opt-outs, and messages by their ids at the provider.
 */
export async function storeAsBefore(
  client: DynamoDBClient,
  TableName: string,
  code: OrganizationCode,
): Promise<void> {
  const documents = DynamoDBDocumentClient.from(client);
  const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
  for (const item of Items) {
    const { pk, sk } = item as { pk: string; sk: string };
    if (!pk.startsWith(`ORG#${code}`)) continue;
    const collection = pk.slice(`ORG#${code}#`.length);
    if (addedItems.test(`${collection} ${sk}`))
      await documents.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    const names = added[collection];
    if (names) await documents.send(new PutCommand({ TableName, Item: without(names, item) }));
    if (sk === 'HEAD') {
      const lists = without(addedStates, item['lists'] as Attributes);
      const head = { ...without(/^revisions$/, item), lists };
      await documents.send(new PutCommand({ TableName, Item: head }));
    }
  }
}
