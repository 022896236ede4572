import * as v from 'valibot';
import { foldCase, foldCaseAsBefore } from '../../core/fold-case.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, UniqueValue } from './collection.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { uniqueKey, type Key } from './keys.ts';
import type { TransactItem } from './table-client.ts';
import { conflict, type Failure } from '../../core/failure.ts';

/** A unique value that a record holds in one of its forms, and the item that says so: its key, and the id that it names. */
export interface HeldValue {
  unique: UniqueValue;
  /** The value as it is compared. */
  folded: string;
  key: Key;
  holder: string | number;
}

const Claims = v.object({ claimed: v.optional(v.record(v.string(), v.array(v.string())), {}) });

/** A record's public id: integer ids are the records' numbers. */
const Identified = v.looseObject({ id: v.union([v.string(), v.number()]) });

/**
 * The unique values that a stored record holds, under the keys that it claimed them with. Which those are depends on how text was
 * folded then: of ASCII always the same; of other text the record says so, in its attribute `claimed`, by value. One that does not
 * is from before there was full case folding.
 */
export function heldValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  item: Item,
): HeldValue[] {
  const claimed = new Map(Object.entries(v.parse(Claims, item).claimed));
  return valuesOf(organization, collection, record, ({ value }) =>
    isAscii(value) ? [foldCase(value)] : (claimed.get(value) ?? [foldCaseAsBefore(value)]),
  );
}

/**
 * The unique values that a record will hold, which held those of `before` until now: what does not change stays as it is. A value is
 * claimed in its form of before too, where that is another, so that no record from then has it.
 */
export function nextValues<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  before: readonly HeldValue[],
): HeldValue[] {
  return valuesOf(organization, collection, record, (unique) => {
    const kept = before.filter((one) => isSame(one.unique, unique)).map(({ folded }) => folded);
    return kept.length > 0 ? kept : [...new Set([foldCase(unique.value), foldCaseAsBefore(unique.value)])];
  });
}

const isSame = (one: UniqueValue, other: UniqueValue) =>
  one.field === other.field && one.value === other.value && one.within?.number === other.within?.number;

function valuesOf<C extends Collection>(
  organization: OrganizationCode,
  collection: C,
  record: RecordOf<C>,
  formsOf: (unique: UniqueValue) => readonly string[],
): HeldValue[] {
  const uniques = (collection.uniques?.(record) ?? []).filter(({ value }) => value !== '');
  if (uniques.length === 0) return [];
  const { id: holder } = v.parse(Identified, record);
  return uniques.flatMap((unique) =>
    formsOf(unique).map((folded) => {
      const kind = `${collection.name}.${unique.field}`;
      const key = uniqueKey(organization, { kind, within: unique.within?.number, folded });
      return { unique, folded, key, holder };
    }),
  );
}

/** What a record's item says of the values it holds: see `heldValues`. */
export function claimedIn(held: readonly HeldValue[]): { claimed?: Record<string, string[]> } {
  const claimed = Map.groupBy(
    held.filter(({ unique }) => !isAscii(unique.value)),
    ({ unique }) => unique.value,
  );
  if (claimed.size === 0) return {};
  const entries = [...claimed].map(([value, forms]) => [value, forms.map(({ folded }) => folded)] as const);
  return { claimed: Object.fromEntries(entries) };
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** What a write does to one unique value: the record that had it gives it up, another takes it, or both. */
interface UniqueChange {
  collection: Collection;
  value: HeldValue;
  releasedBy?: string | number;
  claimedBy?: string | number;
}

/**
 * One operation of a transaction. `refusal` is what its failed condition means to a client, given who holds the value;
 * undefined where it means nothing to a client.
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
   * Gives up the values that a record had and has no longer, and claims those that it has now.
   * @throws Failure `conflict` for one that this same write has claimed for another record.
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
    // A value that changes hands is there: the record that had it gives it up in this same write.
    if (releasedBy !== undefined) return { operation: { Put: { TableName, Item, ...held } } };
    const free = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    return {
      operation: { Put: { TableName, Item, ...free } },
      // Held by this same record, or by one that has got its number: what was read is old, and nobody else has it.
      refusal: (id) =>
        id === claimedBy ? undefined : taken(collection, unique, typeof id === 'number' ? id : String(id)),
    };
  }
}

const taken = ({ label }: Collection, { field, within }: UniqueValue, holder: string | number) =>
  conflict(
    `${label} has this ${field}${within ? ` in the same ${within.collection.label}` : ''}`,
    field,
    holder,
  );
