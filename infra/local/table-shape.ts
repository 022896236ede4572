import type { KeySchemaElement, Projection, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Table } from './template/template.ts';

/**
 * Describes how an existing table differs from the template's; undefined if it does not. A part that only one
 * of them has is no difference: a missing index can be added, and an extra one does no harm.
 */
export function differenceOf(existing: TableDescription, table: Table): string | undefined {
  const wanted = shapeOf(table);
  for (const [part, is] of shapeOf(existing)) {
    const shouldBe = wanted.get(part);
    if (shouldBe !== undefined && shouldBe !== is) return `${part} is ${is}, not ${shouldBe}`;
  }
  return undefined;
}

/** Parts of a table that cannot be changed, by name. */
function shapeOf({
  KeySchema = [],
  AttributeDefinitions = [],
  GlobalSecondaryIndexes = [],
}: TableDescription | Table): Map<string, string> {
  return new Map([
    ['its key', keyText(KeySchema)],
    ...AttributeDefinitions.map(({ AttributeName, AttributeType }): [string, string] => [
      `the type of ${AttributeName ?? ''}`,
      AttributeType ?? '',
    ]),
    ...GlobalSecondaryIndexes.flatMap(({ IndexName = '', ...index }): [string, string][] => [
      [`the key of its index ${IndexName}`, keyText(index.KeySchema ?? [])],
      [`what its index ${IndexName} holds`, projectionText(index.Projection ?? {})],
    ]),
  ]);
}

const keyText = (schema: readonly Partial<KeySchemaElement>[]) =>
  schema
    .map(({ AttributeName = '', KeyType = '' }) => `${KeyType} ${AttributeName}`)
    .sort()
    .join(' and ');

const projectionText = ({ ProjectionType, NonKeyAttributes = [] }: Projection) =>
  [ProjectionType ?? 'nothing', ...NonKeyAttributes.toSorted()].join(' ');
