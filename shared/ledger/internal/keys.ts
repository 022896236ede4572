import type { OrganizationCode } from '../../core/ids.ts';

/** The only place where keys are built. `docs/data-model.md` shows every kind of item with an example. */
export interface Key {
  pk: string;
  sk: string;
}

/**
 * The GSIs that hold filtered lists: each has a string partition key `<name>` and a numeric sort key `<name>Rank`. A
 * record can be in one list of each. All are made with the table, since CloudFormation adds one index per deployment,
 * and one that is not used costs nothing.
 */
export const viewIndexes = ['view1', 'view2', 'view3'] as const;
export type ViewIndex = (typeof viewIndexes)[number];

const digits = 12;
const sortable = (number: number) => String(number).padStart(digits, '0');

export const headKey = (organization: OrganizationCode): Key => ({ pk: `ORG#${organization}`, sk: 'HEAD' });

export const recordKey = (organization: OrganizationCode, collection: string, number: number): Key => ({
  pk: `ORG#${organization}#${collection}`,
  sk: sortable(number),
});

/** The numbers deleted from one bucket (a range of numbers) of a collection. */
export const deletedKey = (organization: OrganizationCode, collection: string, bucket: number): Key => ({
  pk: `ORG#${organization}#${collection}#DELETED`,
  sk: sortable(bucket),
});

/**
 * A value that at most one live record has. `kind` names the collection and field, such as `LEAD.email`; `within` is the
 * number of the record within which it is unique, where it is not so in the whole organization; `folded` is the value as it is
 * compared, see `unique-values.ts`.
 */
export const uniqueKey = (
  organization: OrganizationCode,
  { kind, within, folded }: { kind: string; within?: number | undefined; folded: string },
): Key => ({
  pk: `ORG#${organization}#UNIQUE`,
  sk: [kind, ...(within === undefined ? [] : [sortable(within)]), folded].join('#'),
});

/**
 * The partition of a view: those records of `collection` that belong to the record `owner`, where there is one, and have
 * the value `filter`, where there is one.
 */
export const viewKey = (
  organization: OrganizationCode,
  {
    owner,
    collection,
    filter,
  }: {
    owner?: { collection: string; number: number } | undefined;
    collection: string;
    filter?: string | undefined;
  },
): string =>
  [
    `ORG#${organization}`,
    ...(owner ? [owner.collection, sortable(owner.number)] : []),
    collection,
    ...(filter === undefined ? [] : [filter]),
  ].join('#');

/**
 * The counter from which writers that wait take their numbers. The one item that is written outside a transaction, so its
 * partition is its own: a role can allow that for it alone.
 */
export const turnKey = (organization: OrganizationCode): Key => ({
  pk: `ORG#${organization}#TURN`,
  sk: 'TURN',
});

/** What the partition keys of these counters are like, as IAM writes it. */
export const turnKeyPattern = 'ORG#*#TURN';

/** What a token grants. The one item that is found without knowing the organization: it names the organization. */
export const grantKey = (tokenHash: string): Key => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

/** A key that no item has. */
export const nowhere: Key = { pk: 'NOWHERE', sk: 'NOWHERE' };
