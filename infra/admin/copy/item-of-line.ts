import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import {
  dueIndex,
  duePartition,
  headKey,
  keyNamesOf,
  listIndexes,
  recordKey,
  shardOf,
} from '../../../shared/ledger/internal/keys.ts';
import { foldedSearchables, searchAttributes } from '../../../shared/ledger/internal/searchables.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
} from '../../../shared/ledger/internal/touched-records.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { storedForm, type ListStates } from '../../../shared/ledger/internal/head.ts';
import type { HeadLine, IndexKeys } from './format.ts';
import { withOwnIds } from './own-ids.ts';
import type { CopiedRecord } from './read-copy.ts';

/** Codes of the source and of the target organization. */
export interface Codes {
  from: OrganizationCode;
  to: OrganizationCode;
}

/** Items of a copied record in the target organization: the record, and its unique values. */
export function itemsOfLine(copied: CopiedRecord, codes: Codes): Item[] {
  const { collection, number, revision, claimed, lists, places = {}, more } = copied;
  const { to } = codes;
  const record = ownedRecord(copied, codes);
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

/** Head of the target organization, with the given list states. */
export const headItem = (
  { version, country, hashKey, revisions }: HeadLine,
  lists: ListStates,
  to: OrganizationCode,
): Item => ({
  form: storedForm,
  version,
  country,
  lists,
  ...(revisions && { revisions }),
  ...(hashKey !== undefined && { hashKey }),
  ...headKey(to),
});

/**
 * The records that an event touched, without tokens: a copy has no tokens, and no later event says that they
 * are gone.
 */
function withoutTokens({ touched }: CopiedRecord['more'] = {}): Item {
  const records = touched === undefined ? undefined : parseTouchedRecords(touched);
  return records
    ? { touched: formatTouchedRecords(records.filter(({ collection }) => collection !== tokens.name)) }
    : {};
}

/** Sort keys of the unique values that a copied record holds. */
export const uniqueKeys = ({ collection, record, claimed }: CopiedRecord, from: OrganizationCode): string[] =>
  heldValues(from, collection, v.parse(collection.schema, record), { claimed }).map(({ key }) => key.sk);

function ownedRecord({ collection, record }: CopiedRecord, codes: Codes): Item {
  const owned = withOwnIds(collection.name, record, codes);
  // Phone numbers stay with the source organization: an operator gives the target others.
  return collection.name === organizations.name ? { ...owned, numbers: [] } : owned;
}

function inIndexes(places: IndexKeys, to: OrganizationCode): Item {
  const attributes: Item = {};
  for (const index of listIndexes) {
    const place = places[index];
    if (!place) continue;
    const { pkName, skName } = keyNamesOf(index);
    const [partition, rank] = place;
    attributes[pkName] = `ORG#${to}#${partition}`;
    attributes[skName] = rank;
  }
  return attributes;
}

function dueAttributes(collection: Collection, record: Item, to: OrganizationCode): Item {
  const due = collection.due?.(record);
  if (!due) return {};
  const { pkName, skName } = keyNamesOf(dueIndex);
  return { [pkName]: duePartition(due.worker, shardOf(to)), [skName]: due.at };
}
