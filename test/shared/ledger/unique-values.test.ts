import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { recordKey, uniqueKey } from '../../../shared/ledger/internal/keys.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { newOrganization, type TestOrganization } from '../../support/test-organization.ts';
import { client, documents, itemAt, TableName } from './items-of-table.ts';

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const product = { tradeCategoryId: 2, pricingType: 'NONE' } as const;
const create = async (name: string) =>
  (await createProduct(organization.openLedger().ledger, { name, ...product })).id;
const rename = (id: number, name: string) => updateProduct(organization.openLedger().ledger, id, { name });

const keyOf = (folded: string) => uniqueKey(organization.code, { kind: 'PRODUCT.name', within: 2, folded });
const recordOf = (id: number) => recordKey(organization.code, 'PRODUCT', id);
const put = (Item: object) => documents.send(new PutCommand({ TableName, Item }));

/** The names that are held, folded, each with the id of the product that holds it. */
async function held(): Promise<Record<string, number>> {
  const { pk, sk: prefix } = keyOf('');
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ConsistentRead: true,
    }),
  );
  return Object.fromEntries(
    Items.map(({ sk, id }) => [String(sk).slice(prefix.length), id as number] as const),
  );
}

const findings = async () =>
  (await verifyOrganization({ client, tableName: TableName, system: realSystem }, organization.code))
    .findings;

/** Makes a product hold its name under the key of `then` instead of the key of `now`. */
async function holdAs(
  id: number,
  { now, then, claimed }: Record<'now' | 'then', string> & { claimed?: object },
) {
  await documents.send(new DeleteCommand({ TableName, Key: keyOf(now) }));
  await put({ ...keyOf(then), id });
  const { claimed: _, ...record } = (await itemAt(recordOf(id)))!;
  await put({ ...record, ...(claimed && { claimed }) });
}

test('a name is held folded, and the record has the form if it is not ASCII', async () => {
  const [tap, street] = [await create('Tap'), await create('Straße')];
  expect(await held()).toEqual({ tap, strasse: street });
  expect(await itemAt(recordOf(tap))).not.toHaveProperty('claimed');
  expect(await itemAt(recordOf(street))).toMatchObject({ claimed: { Straße: ['strasse'] } });
  await expect(create('STRASSE')).rejects.toMatchObject({ kind: 'conflict' });
  expect(await findings()).toEqual([]);
});

test('a name that was folded by other rules is released in the form in which it was claimed', async () => {
  const id = await create('Ʞain');
  await holdAs(id, { now: 'ʞain', then: 'of another time', claimed: { Ʞain: ['of another time'] } });
  expect(await findings()).toEqual([]);
  await updateProduct(organization.openLedger().ledger, id, { description: 'New' });
  expect(await held()).toEqual({ 'of another time': id });
  await rename(id, 'Weg');
  expect(await held()).toEqual({ weg: id });
  expect(await findings()).toEqual([]);
});

test('a claimed form of a name that the record no longer has is ignored', async () => {
  const id = await create('Zürich');
  // As code that does not know the attribute leaves it.
  await put({ ...(await itemAt(recordOf(id)))!, claimed: { Köln: ['köln'] } });
  expect(await findings()).toEqual([]);
  await rename(id, 'Weg');
  expect(await held()).toEqual({ weg: id });
  expect(await findings()).toEqual([]);
});
