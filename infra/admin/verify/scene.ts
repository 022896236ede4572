import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, listName, parseListPartition } from '../../../shared/ledger/internal/keys.ts';
import { idOf } from './collections.ts';
import { judgedAgain, mendJudgedAgain, safe, type Finding, type FindingKind, type Mend } from './finding.ts';
import type { Notes } from './notes.ts';
import { settle, unsettled, type Judge, type Look } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';
import type { TableReads } from './table-reads.ts';
import { Unplaced } from './unplaced.ts';
import { Vacancies } from './vacancies.ts';

/** How many findings of one sort end the search for more of it; and how many suspicions are judged before it is asked. */
const maxListed = 1000;
const perPortion = 1000;

/** What was read of one number of a collection; a number can be both, which is damage. */
export const marks = { record: 1, hole: 2, lost: 4 } as const;

/** What was read of one collection. */
export interface CollectionState {
  readonly name: string;
  /** Undefined where the head knows a collection that this version of the code does not. */
  readonly collection: Collection | undefined;
  /** `marks` by number; `lost` is what a snapshot showed to be neither record nor hole. */
  readonly marks: SparseNumbers;
  /** The revision of each record, by number. */
  readonly revisions: SparseNumbers;
  /** The numbers that a snapshot showed to be neither record nor hole. */
  readonly lost: number[];
  /** The numbers that a snapshot showed to be both. */
  readonly both: number[];
  /** The numbers of records that could not be read. */
  readonly unreadable: number[];
  /** What is noted of the numbers that were deleted. */
  notes: Notes;
  /** Up to here the partition was read, so that what was added since can be read alone. */
  readTo: number;
  /** Up to here each number was judged. */
  settledTo: number;
}

/** A record as it was read. */
export interface Observed {
  state: CollectionState;
  collection: Collection;
  number: number;
  item: Item;
  /** The same, parsed. */
  record: Record<string, unknown>;
}

/**
 * What takes note of the records of one collection. TypeScript lets a method, unlike a property, take those records alone,
 * so a map can hold one of each collection by its name.
 */
export interface Noting {
  note(record: RecordOf<Collection>, observed: Observed): void;
}

/** One organization while it is verified: what was read of it, and what was found. */
export class Scene {
  readonly organization: OrganizationCode;
  readonly reads: TableReads;
  /** The collections that this version of the code has, by their names. */
  readonly collections: ReadonlyMap<string, Collection>;
  readonly findings: Finding[] = [];
  readonly states = new Map<string, CollectionState>();
  /** The ranks that nobody has, and the records that have none. */
  readonly vacancies = new Vacancies();
  /** The records that are nowhere in an index where they belong. */
  readonly unplaced = new Unplaced();
  readonly #mendable: { finding: Finding; judge: Judge<Mend | undefined> }[] = [];
  readonly #found = new Map<FindingKind, number>();
  /** How many suspicions could not be judged. */
  unsettled = 0;
  /** The head as it was read last. */
  head: Head;

  constructor(
    organization: OrganizationCode,
    reads: TableReads,
    { head, collections }: { head: Head; collections: readonly Collection[] },
  ) {
    this.organization = organization;
    this.reads = reads;
    this.head = head;
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
  }

  /** The collection of this name, or undefined where this version of the code has none. */
  collectionNamed(name: string): Collection | undefined {
    return this.collections.get(name);
  }

  /** What was read of a collection. */
  stateOf(name: string): CollectionState {
    let state = this.states.get(name);
    if (state === undefined) {
      const collection = this.collectionNamed(name);
      const numbers = { marks: new SparseNumbers(), revisions: new SparseNumbers() };
      const none = { lost: [], both: [], unreadable: [], notes: new Map(), readTo: 0, settledTo: 0 };
      state = { name, collection, ...numbers, ...none };
      this.states.set(name, state);
    }
    return state;
  }

  /**
   * Adds what one item shows by itself, up to so much of a kind. A judge tells how it is put right, on a snapshot of all
   * that this takes.
   */
  find(kind: FindingKind, where: string, sentence: string, judge?: Judge<Mend | undefined>): void {
    const count = (this.#found.get(kind) ?? 0) + 1;
    this.#found.set(kind, count);
    if (count <= maxListed) {
      const finding: Finding = { kind, where, sentence };
      this.findings.push(finding);
      if (judge) this.#mendable.push({ finding, judge });
    }
    if (count === maxListed + 1)
      this.findings.push({ kind: 'more', where: kind, sentence: `There is more of the kind ${kind}.` });
  }

  /** Learns how that is put right which one item showed by itself. */
  async settleMends(): Promise<void> {
    const mendable = this.#mendable.splice(0);
    const mends = await this.settle(mendable.map(({ judge }) => judge));
    for (const [at, { finding, judge }] of mendable.entries()) {
      const mend = mends[at];
      if (mend) finding.mend = mendJudgedAgain(mend, judge);
    }
  }

  /** What each judge says on a snapshot; undefined for one that could not be had. */
  async settle<T>(judges: readonly Judge<T>[]): Promise<(T | undefined)[]> {
    const results = await settle(this.reads, judges);
    return results.map((result) => {
      if (result !== unsettled) return result;
      this.unsettled++;
      return undefined;
    });
  }

  /** Adds what judges find on snapshots. */
  async settleFindings(judges: readonly Judge<Finding | undefined>[]): Promise<void> {
    const results = await this.settle(judges);
    for (const [at, judge] of judges.entries()) {
      const finding = results[at];
      if (finding) this.findings.push(judgedAgain(finding, judge));
    }
  }

  /**
   * Has suspicions of one sort judged, a portion at a time, until so much is found that nobody needs a list of the rest.
   * There is no limit on suspicions: whoever writes makes more of them the longer the queries take.
   */
  async inPortions<T>(
    suspicions: Iterable<T>,
    sort: string,
    judge: (portion: readonly T[]) => Promise<void>,
  ): Promise<void> {
    const before = this.findings.length;
    let portion: T[] = [];
    for (const suspicion of suspicions) {
      if (this.findings.length - before >= maxListed) {
        this.find(
          'more',
          sort,
          `There may be more that is wrong with ${sort}: the search ended after so much.`,
        );
        return;
      }
      portion.push(suspicion);
      if (portion.length < perPortion) continue;
      await judge(portion);
      portion = [];
    }
    if (portion.length > 0) await judge(portion);
  }

  /** The head in a snapshot; undefined while it is not read yet. */
  headIn(look: Look): Head | undefined {
    const item = look(headKey(this.organization));
    return item && parseHead(item);
  }

  /** A record's name in a sentence: its id, or what it is and its number. */
  nameOf(name: string, number: number): string {
    const collection = this.collectionNamed(name);
    if (collection === undefined) return `${name} ${number}`;
    const id = idOf(collection, this.organization, number);
    return typeof id === 'string' ? id : `${collection.label} ${number}`;
  }

  /** A list's name in a sentence, by its partition. */
  listNameOf(partition: string): string {
    const key = parseListPartition(this.organization, partition);
    if (!key) return 'what is no list of the organization';
    const whose = key.owner ? ` of ${this.nameOf(key.owner.collection, key.owner.number)}` : '';
    return `the list ${safe(listName(key))}${whose}`;
  }
}
