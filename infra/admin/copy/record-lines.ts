import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { webhooks, type WebhookRecord } from '../../../shared/domain/webhooks/webhooks.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { storageFormat, type ListStates } from '../../../shared/ledger/internal/head.ts';
import {
  dueIndex,
  duePartition,
  headKey,
  keyNamesOf,
  listIndexes,
  partitionAt,
  pathOf,
  recordKey,
  searchIndexes,
  shardOf,
} from '../../../shared/ledger/internal/keys.ts';
import {
  foldedSearchables,
  searchAttributes,
  searchIndexesOf,
} from '../../../shared/ledger/internal/searchables.ts';
import { revisionOf } from '../../../shared/ledger/internal/stored-record.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
} from '../../../shared/ledger/internal/touched-records.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { AdminError } from '../admin-error.ts';
import { statesIn } from '../verify/stored-list.ts';
import type { HeadLine, IndexKeys } from './format.ts';
import { withOwnIds } from './own-ids.ts';
import type { CopiedRecord } from './read-copy.ts';

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
    if (keptBack[name]?.includes(attribute)) continue;
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

/**
 * Attributes that are not exported: a token's hash, and the secrets of tokens and webhooks. The hash serves only to
 * find the token's grant. With the secrets, somebody else could sign.
 */
const keptBack: Readonly<Record<string, readonly string[]>> = {
  [tokens.name]: ['hash', 'signingSecret', 'formerSecret'],
  [webhooks.name]: ['secrets'],
};

/** Record number, with which each line begins. */
export const numberOfLine = (line: string): number => Number(/^\{"number":(\d+),/.exec(line)?.[1]);

/** Index keys of an item, except the keys that follow from its record. */
function placesOf({ organization, collection }: Source, item: Item, where: string): IndexKeys {
  const derived: readonly string[] = collection
    ? [...searchIndexesOf(collection), ...(collection.due ? [dueIndex] : [])]
    : [];
  const places: IndexKeys = {};
  for (const index of indexes) {
    const { pkName, skName } = keyNamesOf(index);
    const [partition, rank] = [item[pkName], item[skName]];
    if (partition === undefined || derived.includes(index)) continue;
    const isPlace = typeof partition === 'string' && (typeof rank === 'number' || typeof rank === 'string');
    if (!isPlace) throw damaged(where);
    // The key of a due record names its worker, and the organization's shard instead of the organization.
    const [, worker] = index === dueIndex ? (/^DUE#(.+)#\d$/.exec(partition) ?? []) : [];
    const path = worker ?? pathOf(organization, partition);
    if (path === undefined) throw damaged(where);
    places[index] = [path, rank];
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

/** Codes of the source and of the target organization. */
export interface Codes {
  from: OrganizationCode;
  to: OrganizationCode;
}

/** Version and time of a copy. */
type CopiedAt = Pick<HeadLine, 'version' | 'exportedAt'>;

/** Items of a copied record in the target organization: the record, and its unique values. */
export function itemsOfLine(copied: CopiedRecord, codes: Codes, at: CopiedAt): Item[] {
  const { collection, number, revision, claimed, lists, places = {}, more } = copied;
  const { to } = codes;
  const record = ownedRecord(copied, codes, at);
  const parsed = v.parse(collection.schema, record);
  const item = {
    ...withoutTokens(more),
    ...record,
    ...(claimed && { claimed }),
    ...(lists && { lists }),
    ...inIndexes(places, to),
    ...searchAttributes(to, { collection, number }, foldedSearchables(collection, parsed)),
    ...dueAttributes(collection, parsed, to),
    revision,
    ...recordKey(to, collection.name, number),
  };
  const held = heldValues(to, collection, parsed, item).map(({ key, holder }) => ({ ...key, id: holder }));
  return [item, ...held];
}

/** Head of the target organization, with the given list states and epoch. */
export const headItem = (
  { version, country, hashKey, revisions, configuration }: HeadLine,
  lists: ListStates,
  { to, epoch }: { to: OrganizationCode; epoch: string },
): Item => ({
  form: storageFormat,
  version,
  epoch,
  country,
  lists,
  ...(revisions && { revisions }),
  ...(configuration !== undefined && { configuration }),
  ...(hashKey !== undefined && { hashKey }),
  ...headKey(to),
});

/**
 * An event's statements about its write, without the tokens that the write touched. A copy has no tokens, and no later
 * event says that they are gone.
 */
function withoutTokens({ touched, ...more }: CopiedRecord['more'] = {}): Item {
  const records = touched === undefined ? undefined : parseTouchedRecords(touched);
  const others = records?.filter(({ collection }) => collection !== tokens.name);
  return { ...more, ...(others && { touched: formatTouchedRecords(others) }) };
}

function ownedRecord({ collection, record }: CopiedRecord, codes: Codes, at: CopiedAt): Item {
  const owned = withOwnIds(collection.name, record, codes);
  // Phone numbers stay with the source organization: an operator gives the target others.
  if (collection.name === organizations.name) return { ...owned, numbers: [] };
  return collection.name === webhooks.name ? { ...owned, ...importedWebhook(at) } : owned;
}

/** Receivers that know the source organization must not get the target's events, until a client says so. */
const importedWebhook = ({ version, exportedAt }: CopiedAt) =>
  ({
    isEnabled: false,
    disabledAt: exportedAt,
    disabledReason: 'IMPORTED',
    tokenId: null,
    secrets: [],
    startAfter: version,
    restarts: 0,
    wakes: 0,
  }) satisfies Partial<WebhookRecord>;

function inIndexes(places: IndexKeys, to: OrganizationCode): Item {
  const attributes: Item = {};
  for (const index of listIndexes) {
    const place = places[index];
    if (!place) continue;
    const { pkName, skName } = keyNamesOf(index);
    const [path, rank] = place;
    Object.assign(attributes, { [pkName]: partitionAt(to, path), [skName]: rank });
  }
  return attributes;
}

function dueAttributes(collection: Collection, record: Item, to: OrganizationCode): Item {
  const due = collection.due?.(record);
  if (!due) return {};
  const { pkName, skName } = keyNamesOf(dueIndex);
  return { [pkName]: duePartition(due.worker, shardOf(to)), [skName]: due.at };
}
