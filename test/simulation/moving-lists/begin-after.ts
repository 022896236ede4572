import { marshall } from '@aws-sdk/util-dynamodb';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import { attributesOf, type Commit, type Stored } from '../run/model/history.ts';
import { padded } from '../run/model/ids.ts';
import type { OrganizationModel } from '../run/model/organization-model.ts';
import { bucketOf, countsItem, hasCounts, holesItem, stateText } from '../run/model/lists.ts';
import type { Fields } from '../run/same.ts';
import type { World } from '../run/world.ts';

/** History of a list before the run. */
export interface Past {
  /** Number of members that had joined. */
  joined: number;
  /** Numbers of the records that stayed, by rank. All other members had left. */
  stayed: ReadonlyMap<number, number>;
}

/** Stores records and list states as if a long time had passed. Nothing may be under way. */
export function beginAfter(
  { database, time }: World,
  organization: OrganizationModel,
  { records, lists }: { records: ReadonlyMap<string, Stored>; lists: ReadonlyMap<string, Past> },
): void {
  const { version } = organization;
  const commit: Commit = { version, decidedAt: time.now, completeAt: time.now };
  const put = (name: string, stored: Stored, more: Fields = {}) => {
    const history = organization.history(name);
    history.add(commit, stored).shownAt = time.now;
    const [pk, sk] = name.split(/ (?=\S+$)/);
    database.edit.put(marshall({ ...attributesOf(stored), ...more, pk, sk }));
  };
  const ofHead: Record<string, string> = {};
  for (const [name, stored] of records) put(name, stored, { revision: version });
  for (const [partition, { joined, stayed }] of lists) {
    const list = organization.list(partition);
    list.beginAfter(joined, stayed, commit);
    const state = stateText(list.numbers);
    const ranks = Array.from({ length: joined }, (_, at) => at + 1);
    const left = Map.groupBy(ranks.filter(list.numbers.hasLeft), bucketOf);
    for (const bucket of left.keys()) {
      put(`${partition}#LIST ${padded(bucket)}`, { fields: holesItem(list.numbers, bucket) });
    }
    if (hasCounts(joined)) {
      // The first bucket's members left before the list had a second bucket.
      list.counted = new Map([...left].map(([bucket, { length }]) => [bucket, bucket === 0 ? 0 : length]));
      put(`${partition}#LIST COUNTS`, { fields: countsItem(list.numbers.left, list.counted) });
    }
    const { is, item, name } = organization.keeperOf(partition);
    if (is === 'own') put(item, { fields: { state } });
    if (is === 'head') ofHead[name] = state;
    if (is !== 'owner') continue;
    const owner = organization.history(item).last;
    if (!owner) throw new Error(`There is no ${item}, which owns a list`);
    put(item, { ...owner, lists: { ...owner.lists, [name]: state } }, { revision: version });
  }
  const key = { pk: `ORG#${organization.code}`, sk: 'HEAD' };
  const head = toItem(database.item(key) ?? {});
  database.edit.put(marshall({ ...head, lists: { ...(head['lists'] as object), ...ofHead } }));
}
