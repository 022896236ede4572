import * as v from 'valibot';
import { conflict } from '../../core/failure.ts';
import { foldCase, foldForSearch, foldName } from '../../core/fold-case.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, IdOf, RecordOf, UniqueValue } from './collection.ts';
import { valueIsHeldBy, valueIsUnclaimed } from './conditions.ts';
import { nameOfKey, uniqueKey, type Key } from './keys.ts';
import { idFor } from './stored-record.ts';
import type { WriteOperation, WriteTarget } from './table-client.ts';

/** A unique value that a record holds, and the key of the item that claims it. */
export interface HeldValue {
  unique: UniqueValue;
  /** The value in the form that is compared. */
  folded: string;
  key: Key;
  /** The record's public id. */
  holder: string | number;
}

const Claims = v.object({ claimed: v.optional(v.record(v.string(), v.array(v.string())), {}) });

/** True if the item's attribute `claimed` is well-formed, or missing. */
export const hasReadableClaims = (item: Item): boolean => item['claimed'] === undefined || v.is(Claims, item);

const WithId = v.looseObject({ id: v.union([v.string(), v.number()]) });

/**
 * The unique values that a stored record holds, with the keys that claim them. A later version of Unicode can fold a
 * value that is not ASCII in another way. So the record's attribute `claimed` lists the stored forms of each such
 * value.
 */
export function heldValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  item: Item,
): HeldValue[] {
  const claimed = new Map(Object.entries(v.parse(Claims, item).claimed));
  return valuesOf(organization, collection, record, (unique) => {
    const stored = unique.isExact || isAscii(unique.value) ? undefined : claimed.get(unique.value);
    return stored ?? [formOf(unique)];
  });
}

/**
 * The unique values that a record will hold. `before`: the values that the record holds now. An unchanged value keeps
 * its keys.
 */
export function nextValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  before: readonly HeldValue[],
): HeldValue[] {
  return valuesOf(organization, collection, record, (unique) => {
    const kept = before.filter((one) => isSame(one.unique, unique)).map(({ folded }) => folded);
    return kept.length > 0 ? kept : [formOf(unique)];
  });
}

/** The key of the item that claims a value; undefined for `""`, which is no value. */
export function keyOfValue(
  organization: OrganizationCode,
  { name }: Collection,
  unique: UniqueValue,
): Key | undefined {
  return unique.value === '' ? undefined : keyOf(organization, name, unique, formOf(unique));
}

/** The public id of the record that holds a value, from the item that claims the value. */
export const holderIn = (item: Item): string | number => v.parse(WithId, item).id;

/** The form of a value that is compared. */
export function formOf({ value, isExact, isName, isSearched }: Omit<UniqueValue, 'field'>): string {
  if (isExact) return value;
  if (isSearched) return foldForSearch(value);
  return isName ? foldName(value) : foldCase(value);
}

const keyOf = (
  organization: OrganizationCode,
  collection: string,
  { field, within }: UniqueValue,
  folded: string,
): Key => uniqueKey(organization, { kind: `${collection}.${field}`, within: within?.number, folded });

const isSame = (one: UniqueValue, other: UniqueValue) =>
  one.field === other.field && one.value === other.value && one.within?.number === other.within?.number;

function valuesOf<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  heldForms: (unique: UniqueValue) => readonly string[],
): HeldValue[] {
  const uniques = (collection.uniques?.(record) ?? []).filter(({ value }) => value !== '');
  if (uniques.length === 0) return [];
  const { id: holder } = v.parse(WithId, record);
  return uniques.flatMap((unique) =>
    heldForms(unique).map((folded) => {
      const key = keyOf(organization, collection.name, unique, folded);
      return { unique, folded, key, holder };
    }),
  );
}

/** The `claimed` attribute of a record's item: see `heldValues`. */
export function claimedIn(held: readonly HeldValue[]): { claimed?: Record<string, string[]> } {
  const claimed = Map.groupBy(
    held.filter(({ unique }) => !unique.isExact && !isAscii(unique.value)),
    ({ unique }) => unique.value,
  );
  if (claimed.size === 0) return {};
  const entries = [...claimed].map(([value, forms]) => [value, forms.map(({ folded }) => folded)] as const);
  return { claimed: Object.fromEntries(entries) };
}

/** True for printable ASCII, which all versions of Unicode fold in the same way. */
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** The change of one unique value: a record releases it, a record claims it, or both. */
interface UniqueChange {
  collection: Collection;
  value: HeldValue;
  releasedBy?: string | number;
  claimedBy?: string | number;
}

/** The changes that one write makes to unique values. */
export class UniqueChanges {
  readonly #target: WriteTarget;
  /** Changes by sort key: DynamoDB takes one operation per item. */
  readonly #changes = new Map<string, UniqueChange>();

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  /**
   * Releases the values that a record no longer has, and claims the record's new values.
   * @throws Failure `conflict` for a value that this same write has claimed for another record
   */
  move(collection: Collection, had: readonly HeldValue[], has: readonly HeldValue[]): void {
    for (const value of had) {
      if (has.some(({ key }) => key.sk === value.key.sk)) continue;
      const change = this.#changeOf(collection, value);
      if (change.claimedBy === value.holder) delete change.claimedBy;
      else change.releasedBy = value.holder;
    }
    for (const value of has) {
      if (had.some(({ key }) => key.sk === value.key.sk)) continue;
      const change = this.#changeOf(collection, value);
      if (change.claimedBy !== undefined) throw taken(collection, value.unique, change.claimedBy);
      change.claimedBy = value.holder;
    }
  }

  /**
   * The public ids of the records that hold these values once this write is stored, in the order of the values.
   * `snapshot` reads the claims that this write does not change.
   */
  async holdersOf<C extends Collection>(
    collection: C,
    uniques: readonly UniqueValue[],
    snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>,
  ): Promise<(IdOf<C> | undefined)[]> {
    const keys = uniques.map((unique) => keyOfValue(this.#target.organization, collection, unique));
    const changeAt = (key: Key) => this.#changes.get(key.sk);
    const unchanged = keys.filter((key): key is Key => {
      const change = key && changeAt(key);
      return key !== undefined && change?.releasedBy === undefined && change?.claimedBy === undefined;
    });
    const claims = unchanged.length === 0 ? new Map<string, Item>() : await snapshot(unchanged);
    return keys.map((key) => {
      if (key === undefined) return undefined;
      const claim = claims.get(nameOfKey(key));
      const holder = changeAt(key)?.claimedBy ?? (claim && holderIn(claim));
      return holder === undefined ? undefined : idFor(collection, holder);
    });
  }

  operations(): WriteOperation[] {
    return [...this.#changes.values()].flatMap((change) => operationOf(this.#target, change) ?? []);
  }

  #changeOf(collection: Collection, value: HeldValue): UniqueChange {
    const { sk } = value.key;
    const change = this.#changes.get(sk) ?? { collection, value };
    this.#changes.set(sk, change);
    return change;
  }
}

function operationOf(
  { tableName: TableName }: WriteTarget,
  { collection, value: { key, unique }, releasedBy, claimedBy }: UniqueChange,
): WriteOperation | undefined {
  if (claimedBy === undefined) {
    if (releasedBy === undefined) return undefined;
    // No other record can hold a searched value. A release must work if another version of Unicode has folded it.
    const condition = unique.isSearched ? {} : valueIsHeldBy(releasedBy);
    return { operation: { Delete: { TableName, Key: key, ...condition } } };
  }
  const Item = { ...key, id: claimedBy };
  // One record releases the value and another claims it in this write, so the claim exists.
  if (releasedBy !== undefined)
    return { operation: { Put: { TableName, Item, ...valueIsHeldBy(releasedBy) } } };
  return {
    operation: { Put: { TableName, Item, ...valueIsUnclaimed } },
    // A claim by this same record means that the write was built on old data, and no other record has the value.
    refusal: (holder) =>
      holder === claimedBy
        ? undefined
        : taken(collection, unique, typeof holder === 'number' ? holder : String(holder)),
  };
}

const taken = ({ label }: Collection, { field, named, within }: UniqueValue, holder: string | number) =>
  conflict(label, field, { within: within?.collection.label, named, existingId: holder });
