import type { Fields } from '../same.ts';
import type { Commit, Stored } from './history.ts';
import { padded } from './ids.ts';
import type { OrganizationModel } from './organization-model.ts';
import { Refused, taken } from './refusal.ts';
import { claimedBy, uniquesOf } from './uniques.ts';

/** One item of a change: as it will be stored, or undefined where it goes. */
interface Planned {
  stored: Stored | undefined;
  /** Whether the item has the number of the change's last event. */
  hasRevision: boolean;
}

/** Which index a record joins, and the list there. */
export type Joined = readonly [index: 'view1' | 'view2' | 'view3', list: string];

const bucketSize = 4096;

/** What one transaction must write, as the model has it: it collects, and changes nothing before `apply`. */
export class Change {
  readonly organization: OrganizationModel;
  /** The moment of the change, in the API's format. */
  readonly now: string;
  readonly userId: string;
  /** The hash of the token that it issues: chance alone decides it. */
  readonly newHash: string;
  readonly items = new Map<string, Planned>();
  /** The offsets that must join a bucket of holes, by the bucket's name. */
  readonly holes = new Map<string, number[]>();
  readonly #joins: { list: string; number: number }[] = [];
  readonly #leaves: { list: string; number: number }[] = [];
  #events = 0;

  constructor(
    organization: OrganizationModel,
    { now, userId, newHash }: { now: string; userId: string; newHash: string },
  ) {
    this.organization = organization;
    this.newHash = newHash;
    this.now = now;
    this.userId = userId;
  }

  /** The version that it makes. */
  get version(): number {
    return this.organization.version + this.#events;
  }

  /** A record as this change has it so far. */
  get(collection: string, number: number): Fields | undefined {
    const planned = this.items.get(this.organization.nameOf(collection, number));
    return planned ? planned.stored?.fields : this.organization.record(collection, number);
  }

  /** The number that the next record of a collection gets. */
  next(collection: string): number {
    return this.#joinedOf(this.#listOf(collection)) + 1;
  }

  /** How many live records a collection has. */
  count(collection: string): number {
    return this.organization.collection(collection).count;
  }

  /** Adds a record, to its collection's list and to others; gives it. */
  append(collection: string, build: (number: number) => Fields, joined: readonly Joined[] = []): Fields {
    const number = this.next(collection);
    const fields = build(number);
    const views: Fields = {};
    for (const [index, list] of joined) {
      views[index] = list;
      views[`${index}Rank`] = this.#joinedOf(list) + 1;
      this.#joins.push({ list, number });
    }
    this.#joins.push({ list: this.#listOf(collection), number });
    const claimed = this.#moveUniques(collection, undefined, fields);
    const name = this.organization.nameOf(collection, number);
    this.items.set(name, { stored: { fields, views, claimed }, hasRevision: true });
    return fields;
  }

  /** Puts a record in the place of one that is there. */
  replace(collection: string, number: number, fields: Fields): Fields {
    const name = this.organization.nameOf(collection, number);
    const claimed = this.#moveUniques(collection, this.get(collection, number), fields);
    const before = this.items.get(name)?.stored ?? this.organization.history(name).last;
    this.items.set(name, { stored: { fields, views: before?.views ?? {}, claimed }, hasRevision: true });
    return fields;
  }

  remove(collection: string, number: number): void {
    this.#moveUniques(collection, this.get(collection, number), undefined);
    this.items.set(this.organization.nameOf(collection, number), { stored: undefined, hasRevision: true });
    this.#leaves.push({ list: this.#listOf(collection), number });
    const bucket = Math.floor((number - 1) / bucketSize);
    const name = this.organization.nameOf(`${collection}#DELETED`, bucket);
    this.holes.set(name, [...(this.holes.get(name) ?? []), (number - 1) % bucketSize]);
  }

  /** Tells what happened; of a lead, also in the list of its activities. */
  event(event: string, data: string, referenceId: string | number, lead?: number): void {
    this.#events++;
    const list = lead === undefined ? undefined : `${this.#listOf('LEAD')}#${padded(lead)}#EVENT`;
    this.append(
      'EVENT',
      (id) => ({
        id,
        event,
        data,
        referenceId: String(referenceId),
        userId: this.userId,
        createdAt: this.now,
      }),
      list === undefined ? [] : [['view1', list]],
    );
  }

  /** Stores an item that is no record, or removes it. */
  put(name: string, fields: Fields | undefined): void {
    this.items.set(name, { stored: fields && { fields, views: {} }, hasRevision: false });
  }

  /** What the head must tell of each list, by the name that it has for it: those that do not change, too. */
  *countedLists(): Generator<[name: string, last: number, deleted: number]> {
    for (const [name, { joined, count }] of this.organization.counted) {
      const list = this.#listOf(name);
      const joining = this.#joins.filter((one) => one.list === list).length;
      const leaving = this.#leaves.filter((one) => one.list === list).length;
      yield [name, joined + joining, joined - count + leaving];
    }
  }

  /** Makes the lists what this change makes of them. */
  applyToLists(commit: Commit): void {
    for (const { list, number } of this.#joins) this.organization.list(list).join(number, commit);
    for (const { list, number } of this.#leaves) this.organization.list(list).leave(number, commit);
  }

  #listOf(collection: string): string {
    return `ORG#${this.organization.code}#${collection}`;
  }

  #joinedOf(list: string): number {
    return this.organization.list(list).joined + this.#joins.filter((one) => one.list === list).length;
  }

  /**
   * Moves the unique values of a record to what it becomes; gives what its item says of those.
   * @throws Refused when another live record has a value that this one is to have
   */
  #moveUniques(
    collection: string,
    before: Fields | undefined,
    after: Fields | undefined,
  ): Fields | undefined {
    const had = before ? uniquesOf(this.organization, collection, before) : [];
    const has = after ? uniquesOf(this.organization, collection, after) : [];
    const id = (before ?? after)?.['id'];
    for (const { name, sentence, field } of has) {
      const planned = this.items.get(name);
      const holder = (planned ? planned.stored : this.organization.history(name).last)?.fields['id'];
      if (holder !== undefined && holder !== id)
        throw new Refused(taken(sentence, field, holder as string | number));
    }
    // A value that is only written in another case stays as it is held.
    for (const { name } of had) if (!has.some((one) => one.name === name)) this.put(name, undefined);
    for (const { name } of has) if (!had.some((one) => one.name === name)) this.put(name, { id });
    return claimedBy(has);
  }
}
