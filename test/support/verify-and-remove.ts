import { BatchWriteItemCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Finding } from '../../infra/admin/verify/finding.ts';
import { TableReads, type TableAccess } from '../../infra/admin/table/table-reads.ts';
import { verifyOrganization } from './verify-organization.ts';
import { realSystem } from '../../shared/core/system.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import {
  answersPartition,
  cursorsPartition,
  deliveriesPartition,
  grantKey,
  headKey,
  phoneNumberKey,
} from '../../shared/ledger/internal/keys.ts';

type Item = Record<string, AttributeValue>;
/** Output of calls that read. */
interface Output {
  Item?: Item;
  Items?: Item[];
  Responses?: { Item?: Item }[];
}

/** Number of items that one call removes: DynamoDB's limit. */
const perCall = 25;

/**
 * Collects the keys of one organization's items that a client reads from now on. A verification reads
 * everything of an organization, so all of it can be removed afterwards. Items of other organizations are
 * never collected.
 */
export class ReadKeys {
  readonly #client: DynamoDBClient;
  readonly #organization: OrganizationCode;
  readonly #keys = new Map<string, Item>();

  constructor(client: DynamoDBClient, organization: OrganizationCode) {
    this.#client = client;
    this.#organization = organization;
    const note = (item: Item) => {
      const { pk, sk } = item;
      if (pk && sk && this.#isOwn(item)) this.#keys.set(`${pk.S!} ${sk.S!}`, { pk, sk });
    };
    client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { Item, Items = [], Responses = [] } = result.output as Output;
        for (const item of [Item, ...Items, ...Responses.map((response) => response.Item)])
          if (item) note(item);
        return result;
      },
      { step: 'initialize', name: 'seenKeys', override: true },
    );
  }

  /** True for an item in one of the organization's partitions, and for its grants and phone numbers. */
  #isOwn({ pk, organization }: Item): boolean {
    const own = headKey(this.#organization).pk;
    if ([grantKey(''), phoneNumberKey('')].some((key) => pk!.S!.startsWith(key.pk)))
      return organization?.S === this.#organization;
    return pk!.S === own || pk!.S!.startsWith(`${own}#`);
  }

  /** Removes the items with these keys, and what webhooks sent, which no verification reads. Returns their number. */
  async remove(tableName: string): Promise<number> {
    await readSent({ client: this.#client, tableName, system: realSystem }, this.#organization);
    let left = [...this.#keys.values()].map((Key) => ({ DeleteRequest: { Key } }));
    const count = left.length;
    while (left.length > 0) {
      const RequestItems = { [tableName]: left.slice(0, perCall) };
      const { UnprocessedItems } = await this.#client.send(new BatchWriteItemCommand({ RequestItems }));
      const unprocessed = (UnprocessedItems?.[tableName] ?? []) as typeof left;
      left = [...unprocessed, ...left.slice(perCall)];
    }
    return count;
  }
}

/** Reads what webhooks sent. */
async function readSent(access: TableAccess, organization: OrganizationCode): Promise<void> {
  const reads = new TableReads(access);
  const all = async (pk: string) => {
    const items: Record<string, unknown>[] = [];
    for await (const page of reads.partition(pk)) items.push(...page);
    return items;
  };
  for (const { sk } of await all(cursorsPartition(organization)))
    for (const { lead } of await all(deliveriesPartition(organization, Number(sk))))
      if (typeof lead === 'number') await all(answersPartition(organization, lead));
}

/**
 * Verifies an organization, and then removes it. Removes nothing if the verification throws, so that it can
 * be repeated.
 */
export async function verifyAndRemove(
  access: TableAccess,
  organization: OrganizationCode,
): Promise<Finding[]> {
  const seen = new ReadKeys(access.client, organization);
  const { findings } = await verifyOrganization(access, organization);
  await seen.remove(access.tableName);
  return findings;
}
