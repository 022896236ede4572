import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { AdminError } from '../admin-error.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { dueIndex, keyNamesOf, listIndexes, searchIndexes } from '../../../shared/ledger/internal/keys.ts';
import { revisionOf } from '../../../shared/ledger/internal/stored-record.ts';
import { searchIndexesOf } from '../../../shared/ledger/internal/searchables.ts';
import { statesIn } from '../verify/hole-items.ts';
import type { IndexKeys, RecordLine } from './format.ts';

/** Attributes that the ledger adds to a record, besides those of its indexes. */
const ownAttributes: readonly string[] = ['pk', 'sk', 'revision', 'claimed', 'lists'];
const indexes = [...listIndexes, ...searchIndexes, dueIndex] as const;
const indexAttributes: readonly string[] = indexes.flatMap((index) => Object.values(keyNamesOf(index)));

/** Collection of an exported item; of a collection that only newer code has, its name alone. */
export interface Source {
  organization: OrganizationCode;
  name: string;
  collection: Collection | undefined;
}

/** Formats a record's item as a line. @throws AdminError for an item that cannot be copied */
export function lineOfItem(source: Source, item: Item): string {
  const { name, collection } = source;
  const number = Number(item['sk']);
  const where = `${name} ${number}`;
  const lists = statesIn(item);
  if (!Number.isSafeInteger(number) || !lists) throw damaged(where);
  const fields = collection && Object.keys(collection.schema.entries);
  const isField = (attribute: string) => fields?.includes(attribute) ?? true;
  const record: Item = {};
  const more: Item = {};
  for (const [attribute, value] of Object.entries(item)) {
    if (ownAttributes.includes(attribute) || indexAttributes.includes(attribute)) continue;
    // A token's hash serves only to find its grant, which is not exported.
    if (name === tokens.name && attribute === 'hash') continue;
    checkPlain(where, value);
    if (isField(attribute)) record[attribute] = value;
    else more[attribute] = value;
  }
  const places = placesOf(source, item, where);
  const line = {
    number,
    revision: revisionOf(item),
    record,
    ...(item['claimed'] !== undefined && { claimed: item['claimed'] }),
    ...(Object.keys(lists).length > 0 && { lists }),
    ...(Object.keys(places).length > 0 && { places }),
    ...(Object.keys(more).length > 0 && { more }),
  };
  return JSON.stringify(line);
}

/** Number and revision, with which each line begins. */
export function numbersOf(line: string): Pick<RecordLine, 'number' | 'revision'> {
  const [, number, revision] = /^\{"number":(\d+),"revision":(\d+),/.exec(line) ?? [];
  return { number: Number(number), revision: Number(revision) };
}

/** Keys of an item in indexes, except those that follow from its record. */
function placesOf({ organization, collection }: Source, item: Item, where: string): IndexKeys {
  const derived: readonly string[] = collection
    ? [...searchIndexesOf(collection), ...(collection.due ? [dueIndex] : [])]
    : [];
  const places: IndexKeys = {};
  for (const index of indexes) {
    const { pkName, skName } = keyNamesOf(index);
    const [partition, rank] = [item[pkName], item[skName]];
    if (partition === undefined || derived.includes(index)) continue;
    const start = `ORG#${organization}#`;
    const isPlace = typeof partition === 'string' && (typeof rank === 'number' || typeof rank === 'string');
    // The key of a due record names its worker, and the organization's shard instead of the organization.
    const [, worker] = isPlace && index === dueIndex ? (/^DUE#(.+)#\d$/.exec(partition) ?? []) : [];
    if (!isPlace || (worker === undefined && !partition.startsWith(start))) throw damaged(where);
    places[index] = [worker ?? partition.slice(start.length), rank];
  }
  return places;
}

/** Checks that a value is plain JSON, as this project stores. */
function checkPlain(where: string, value: unknown): void {
  if (value instanceof Set) throw new AdminError(`${where} has a set of values, which cannot be copied.`);
  if (typeof value !== 'object' || value === null) return;
  for (const one of Object.values(value)) checkPlain(where, one);
}

const damaged = (where: string) =>
  new AdminError(`${where} cannot be read: "organization verify" tells what is wrong with it.`);
