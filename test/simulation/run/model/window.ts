import type { Fields } from '../same.ts';
import { formerName } from './former-lists.ts';
import type { Stored } from './history.ts';
import type { ListState, MemberList } from './member-list.ts';
import type { OrganizationModel } from './organization-model.ts';

/** The versions of an organization from one on and before another. */
export interface Versions {
  from: number;
  to: number;
}

/** What a request can have seen of its organization, from its start until now. */
export class Window {
  readonly organization: OrganizationModel;
  readonly since: number;
  readonly #version: number;
  /** How much longer an index may show what was, in milliseconds. */
  readonly #indexLag: number;

  constructor(
    organization: OrganizationModel,
    { since, version, indexLag }: { since: number; version: number; indexLag: number },
  ) {
    this.organization = organization;
    this.since = since;
    this.#version = version;
    this.#indexLag = indexLag;
  }

  /** The values of an item in this time; undefined among them where it was not there. */
  values(name: string, { fromIndex = false } = {}): (Stored | undefined)[] {
    return this.organization.history(name).valuesSince(this.since - (fromIndex ? this.#indexLag : 0));
  }

  /** The values of a record in this time. */
  records(collection: string, number: number, options = {}): (Fields | undefined)[] {
    return this.values(this.organization.nameOf(collection, number), options).map((stored) => stored?.fields);
  }

  /** The values that a record had while it was there, each with the versions in which it had them. */
  spans(collection: string, number: number, { fromIndex = false } = {}): (Versions & { fields: Fields })[] {
    const name = this.organization.nameOf(collection, number);
    return this.organization
      .history(name)
      .spansSince(this.since - (fromIndex ? this.#indexLag : 0))
      .flatMap(({ stored, from, to }) => (stored ? [{ fields: stored.fields, from, to }] : []));
  }

  /** The values that an item had in some of these versions, in this time. */
  valuesWithin(name: string, { from, to }: Versions): (Stored | undefined)[] {
    return this.organization
      .history(name)
      .spansSince(this.since)
      .filter((span) => span.from < to && from < span.to)
      .map(({ stored }) => stored);
  }

  /** Whether a record was missing at some moment of this time. */
  canMiss(collection: string, number: number): boolean {
    return this.records(collection, number).includes(undefined);
  }

  /** The values that it had while it was there. */
  present(collection: string, number: number, options = {}): Fields[] {
    return this.records(collection, number, options).filter((fields) => fields !== undefined);
  }

  /** Whether a read of the head can have shown a collection as it was before it gave out a number. */
  canBeUnknown(collection: MemberList, number: number): boolean {
    return collection.versionOf(number) > this.#version;
  }

  /** The states of a list of the whole organization: the head tells them, and every write advances it. */
  statesByHead(list: MemberList): ListState[] {
    return list.statesSince(({ version }) => version <= this.#version);
  }

  /** The states of a list that one record tells, or that is read without the head. */
  statesByOwner(list: MemberList): ListState[] {
    return withoutEnds(list.statesSince(({ completeAt }) => completeAt <= this.since));
  }

  /**
   * The states of a list that a record owns, also once that is gone. What stays of it tells them then, but for the moment in which
   * that takes the record's place, or goes itself: then the index does.
   */
  statesOwned(list: MemberList, owner?: readonly [collection: string, number: number]): ListState[] {
    if (!owner) return this.statesByOwner(list);
    const name = this.organization.nameOf(...owner);
    const isTold = [name, formerName(name)].some((one) => !this.values(one).includes(undefined));
    return isTold ? this.statesByOwner(list) : this.statesByIndex(list);
  }

  /** The states of a list that an index alone can tell. */
  statesByIndex(list: MemberList): ListState[] {
    return withoutEnds(list.statesSince(({ completeAt }) => completeAt <= this.since - this.#indexLag));
  }
}

const withoutEnds = (states: readonly ListState[]): ListState[] =>
  states.map((state) => ({ ...state, end: Infinity }));
