import type { Fields } from '../same.ts';
import type { Stored } from './history.ts';
import { formerName, type ListState, type MemberList } from './lists.ts';
import type { OrganizationModel } from './organization-model.ts';

/** Reads a record at one version. */
export type Read = (collection: string, number: number) => Fields | undefined;

/** Versions of an organization; `to` is exclusive. */
export interface Versions {
  from: number;
  to: number;
}

/** Window of time from the start of a request until now, with all that the request can have read in it. */
export class Window {
  readonly organization: OrganizationModel;
  readonly since: number;
  /** Newest version that was decided as the request began. */
  readonly decided: number;
  /** Times of its start and of now, by the request's clock, in the API's format. */
  readonly times: readonly string[];
  readonly #version: number;
  /** Milliseconds that an index may still show an old value. */
  readonly #indexLag: number;

  constructor(
    organization: OrganizationModel,
    {
      since,
      version,
      indexLag,
      decided,
      times,
    }: Pick<Window, 'since' | 'version' | 'decided' | 'times'> & { indexLag: number },
  ) {
    this.organization = organization;
    this.since = since;
    this.decided = decided;
    this.times = times;
    this.#version = version;
    this.#indexLag = indexLag;
  }

  /** True if a read of several items may end its tries before they show one version. */
  get isSlow(): boolean {
    return this.organization.isSlow;
  }

  /** End of the window, as `since` is its start. */
  get now(): number {
    const [now = '', start = ''] = this.times;
    return this.since + Date.parse(now) - Date.parse(start);
  }

  /** True if the request may have had no time left for a further read: of its 13.5 seconds, a wait can take 1.3. */
  get isOutOfTime(): boolean {
    return this.now - this.since > 12_000;
  }

  /** Newest version that was completely visible as the request began. */
  get version(): number {
    return this.#version;
  }

  /** Values of an item in the window; undefined among them if it was missing at some time. */
  values(name: string, { fromIndex = false } = {}): (Stored | undefined)[] {
    return this.organization.history(name).valuesSince(this.since - (fromIndex ? this.#indexLag : 0));
  }

  /** Values of a record in the window. */
  records(collection: string, number: number, options = {}): (Fields | undefined)[] {
    return this.values(this.organization.nameOf(collection, number), options).map((stored) => stored?.fields);
  }

  /** Values of a record from the newest version on that was decided as the request began. */
  decidedRecords(collection: string, number: number): (Fields | undefined)[] {
    const { organization, decided } = this;
    const spans = organization.history(organization.nameOf(collection, number)).spansFrom(decided);
    return spans.map(({ stored }) => stored?.fields);
  }

  /** Values of a record while it existed, each with its versions. */
  spans(collection: string, number: number, { fromIndex = false } = {}): (Versions & { fields: Fields })[] {
    const name = this.organization.nameOf(collection, number);
    return this.organization
      .history(name)
      .spansSince(this.since - (fromIndex ? this.#indexLag : 0))
      .flatMap(({ stored, from, to }) => (stored ? [{ fields: stored.fields, from, to }] : []));
  }

  /** True if a record was missing at some time in the window. */
  canMiss(collection: string, number: number): boolean {
    return this.records(collection, number).includes(undefined);
  }

  /** Values of a record while it existed. */
  present(collection: string, number: number, options = {}): Fields[] {
    return this.records(collection, number, options).filter((fields) => fields !== undefined);
  }

  /** True if a read of the head can show the collection before it gave out this number. */
  canBeUnknown(collection: MemberList, number: number): boolean {
    return collection.versionOf(number) > this.#version;
  }

  /** States of a list of the whole organization. The head stores them, and every write advances the head. */
  statesByHead(list: MemberList): ListState[] {
    return list.statesSince(({ version }) => version <= this.#version);
  }

  /** States of a list that one record stores, or that is read without the head. */
  statesByOwner(list: MemberList): ListState[] {
    return withoutEnds(list.statesSince(({ completeAt }) => completeAt <= this.since));
  }

  /**
   * States of a list that a record owns, even after its removal. After the removal the record's former item
   * has them. In the versions that create or remove the former item, only the index shows the list.
   */
  statesOwned(list: MemberList, owner?: readonly [collection: string, number: number]): ListState[] {
    if (!owner) return this.statesByOwner(list);
    const name = this.organization.nameOf(...owner);
    const isTold = [name, formerName(name)].some((one) => !this.values(one).includes(undefined));
    return isTold ? this.statesByOwner(list) : this.statesByIndex(list);
  }

  /** States of a list that only an index can show. */
  statesByIndex(list: MemberList): ListState[] {
    return withoutEnds(list.statesSince(({ completeAt }) => completeAt <= this.since - this.#indexLag));
  }
}

const withoutEnds = (states: readonly ListState[]): ListState[] =>
  states.map((state) => ({ ...state, end: Infinity }));
