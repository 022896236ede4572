import * as v from 'valibot';
import { foldCase, foldCaseAsBefore } from '../../core/fold-case.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, UniqueValue } from './collection.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { nameOfKey, uniqueKey, type Key } from './keys.ts';
import type { TransactItem } from './table-client.ts';
import { conflict, type Failure } from '../../core/failure.ts';

/** One folded form of a unique value that a record holds, and the item that claims it. */
export interface HeldValue {
  unique: UniqueValue;
  /** The value as it is compared. */
  folded: string;
  key: Key;
  /** The record's public id. */
  holder: string | number;
}

const Claims = v.object({ claimed: v.optional(v.record(v.string(), v.array(v.string())), {}) });

/** A record's public id: integer ids are the records' numbers. */
const Identified = v.looseObject({ id: v.union([v.string(), v.number()]) });

/**
 * The unique values that a stored record holds, with the keys that claim them. Those depend on how text was
 * folded at that time. ASCII has always folded alike; for other text, the record's attribute `claimed` lists
 * the forms by value. A value without an entry there was claimed before full case folding.
 */
export function heldValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  item: Item,
): HeldValue[] {
  const claimed = new Map(Object.entries(v.parse(Claims, item).claimed));
  return valuesOf(organization, collection, record, (unique) => {
    if (unique.isExact || isAscii(unique.value)) return formsOf(unique);
    return claimed.get(unique.value) ?? [foldCaseAsBefore(unique.value)];
  });
}

/**
 * The unique values that a record will hold; `before` are those that it holds. An unchanged value keeps its
 * keys. A new one is also claimed in its form before full case folding, so that it conflicts with records
 * from that time.
 */
export function nextValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  before: readonly HeldValue[],
): HeldValue[] {
  return valuesOf(organization, collection, record, (unique) => {
    const kept = before.filter((one) => isSame(one.unique, unique)).map(({ folded }) => folded);
    return kept.length > 0 ? kept : formsOf(unique);
  });
}

/**
 * The keys of the items that can say who has a value, the likeliest first: more than one where text was once
 * folded otherwise. None for `""`.
 */
export function keysOfValue(
  organization: OrganizationCode,
  { name }: Collection,
  unique: UniqueValue,
): Key[] {
  if (unique.value === '') return [];
  return formsOf(unique).map((folded) => keyOf(organization, name, unique, folded));
}

/** The id of the record that holds a value, from the item that claims it. */
export const holderIn = (item: Item): string | number => v.parse(Identified, item).id;

/** The forms in which a value is claimed now: as it is compared, and as it was compared before. */
const formsOf = ({ value, isExact }: UniqueValue): string[] =>
  isExact ? [value] : [...new Set([foldCase(value), foldCaseAsBefore(value)])];

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
  const { id: holder } = v.parse(Identified, record);
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

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** What a write does to one unique value: a record releases it, a record claims it, or both. */
interface UniqueChange {
  collection: Collection;
  value: HeldValue;
  releasedBy?: string | number;
  claimedBy?: string | number;
}

/**
 * One operation of a transaction. `refusal` is the client's error if its condition fails, given the id that
 * holds the value; undefined if the client cannot help it.
 */
export interface Step {
  operation: TransactItem;
  refusal?: (holder: unknown) => Failure | undefined;
}

/** What one write does to unique values. */
export class UniqueChanges {
  readonly #tableName: string;
  /** By sort key: DynamoDB takes one operation per item. */
  readonly #changes = new Map<string, UniqueChange>();

  constructor(tableName: string) {
    this.#tableName = tableName;
  }

  /**
   * Releases the values that a record no longer has, and claims those that are new to it.
   * @throws Failure `conflict` for a value that this same write has claimed for another record
   */
  move(collection: Collection, had: readonly HeldValue[], has: readonly HeldValue[]): void {
    const isIn = (list: readonly HeldValue[], { key }: HeldValue) =>
      list.some((one) => one.key.sk === key.sk);
    for (const value of had.filter((one) => !isIn(has, one))) {
      const change = this.#changeOf(collection, value);
      if (change.claimedBy === value.holder) delete change.claimedBy;
      else change.releasedBy = value.holder;
    }
    for (const value of has.filter((one) => !isIn(had, one))) {
      const change = this.#changeOf(collection, value);
      if (change.claimedBy !== undefined) throw taken(collection, value.unique, change.claimedBy);
      change.claimedBy = value.holder;
    }
  }

  /**
   * Who has each value, given the keys of each, when this write is stored. `snapshot` reads, by name, what it does not
   * change.
   */
  async holdersOf(
    values: readonly (readonly Key[])[],
    snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>,
  ): Promise<(string | number | undefined)[]> {
    const isAsked = ({ sk }: Key) => this.#changes.get(sk)?.releasedBy === undefined;
    const claimants = values.map((keys) => this.#claimantOf(keys));
    const asked = values.flatMap((keys, at) => (claimants[at] === undefined ? keys.filter(isAsked) : []));
    const items = asked.length === 0 ? new Map<string, Item>() : await snapshot(asked);
    return values.map((keys, at) => {
      const claims = keys.filter(isAsked).map((key) => items.get(nameOfKey(key)));
      const claim = claims.find(Boolean);
      return claimants[at] ?? (claim && holderIn(claim));
    });
  }

  /** The record for which this write claims a value with these keys. */
  #claimantOf(keys: readonly Key[]): string | number | undefined {
    return keys.map(({ sk }) => this.#changes.get(sk)?.claimedBy).find((id) => id !== undefined);
  }

  steps(): Step[] {
    return [...this.#changes.values()].flatMap((change) => this.#stepOf(change) ?? []);
  }

  #changeOf(collection: Collection, value: HeldValue): UniqueChange {
    const { sk } = value.key;
    const change = this.#changes.get(sk) ?? { collection, value };
    this.#changes.set(sk, change);
    return change;
  }

  #stepOf({ collection, value, releasedBy, claimedBy }: UniqueChange): Step | undefined {
    const TableName = this.#tableName;
    const { key, unique } = value;
    if (releasedBy === undefined && claimedBy === undefined) return undefined;
    const held = {
      ConditionExpression: 'id = :holder',
      ExpressionAttributeValues: { ':holder': releasedBy },
    };
    if (claimedBy === undefined) return { operation: { Delete: { TableName, Key: key, ...held } } };
    const Item = { ...key, id: claimedBy };
    // The value changes hands within this write, so its item exists.
    if (releasedBy !== undefined) return { operation: { Put: { TableName, Item, ...held } } };
    const free = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    return {
      operation: { Put: { TableName, Item, ...free } },
      // Held under this same id: what was read is old, and no other record has the value.
      refusal: (id) =>
        id === claimedBy ? undefined : taken(collection, unique, typeof id === 'number' ? id : String(id)),
    };
  }
}

const taken = ({ label }: Collection, { field, within }: UniqueValue, holder: string | number) =>
  conflict(label, field, { within: within?.collection.label, existingId: holder });
