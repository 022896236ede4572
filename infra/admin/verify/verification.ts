import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, listName, parseListPartition } from '../../../shared/ledger/internal/keys.ts';
import { expectedIdOf } from './collections.ts';
import { redacted, withRecheck, type Finding, type FindingKind } from './finding.ts';
import { FreeRanks } from './free-ranks.ts';
import type { HoleItems } from './hole-items.ts';
import { withRepairRecheck, type Repair } from './repair-plan.ts';
import { runChecks, unsettled, type Check, type Snapshot } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';
import type { TableReads } from './table-reads.ts';
import { UnindexedRecords } from './unindexed-records.ts';

/**
 * Words of this folder:
 *
 * | Word | Meaning |
 * | --- | --- |
 * | item | an item of the table, as DynamoDB stores it |
 * | observation | what the queries showed. Queries show items of several instants, so an observation alone proves nothing about several items |
 * | suspect | a number, rank or record whose observations do not fit together |
 * | snapshot | items of one instant, from a serializable read (`TransactGetItems`) |
 * | check | a function of a snapshot: it confirms a suspect, or finds it right |
 * | finding | a fault that a snapshot or one item proves, with its kind and its sentence for the terminal |
 * | repair | the changes that remove the cause of a finding, if the stored items determine them |
 * | repair plan | the item changes of several repairs, written in one transaction |
 * | position | the list partition and the rank in the two key attributes of an index |
 * | list state | last rank, number of members that left, and which of the newest ranks are holes |
 * | hole | a rank, or a number of a collection, whose member left |
 * | hole items | the items beside a list that name its holes: buckets of 4096 ranks, and the counts by bucket |
 * | former item | the item that keeps the list states of a removed record while those lists have members |
 * | lost | neither a record nor a hole |
 * | whole | without a finding |
 */

/** Maximum number of findings of one kind: nobody needs a longer list. */
const maxListed = 1000;
/** Number of suspects that are checked before the number of findings is compared with `maxListed`. */
const batchSize = 1000;

/** Bits of a number in a collection. A number that is both a record and a hole is damage. */
export const numberFlag = { record: 1, hole: 2, lost: 4 } as const;

/** Observations of one collection. */
export interface ObservedCollection {
  readonly name: string;
  /** Undefined for a collection in the head that this version of the code does not know. */
  readonly collection: Collection | undefined;
  /** Bits of `numberFlag`, by number. */
  readonly flags: SparseNumbers;
  /** Revision of each record, by number. */
  readonly revisions: SparseNumbers;
  /** Numbers that a snapshot showed as neither record nor hole. */
  readonly lost: number[];
  /** Numbers that a snapshot showed as both record and hole. */
  readonly both: number[];
  /** Numbers of malformed records. */
  readonly unreadable: number[];
  holeItems: HoleItems;
  /** Last number when the partition was read; a later read begins after it. */
  readTo: number;
  /** Last number that was checked. */
  checkedTo: number;
}

export interface ObservedRecord {
  collection: Collection;
  number: number;
  item: Item;
  /** Parsed `item`. */
  record: Record<string, unknown>;
}

/**
 * Observer of the records of one collection. `observe` is a method and not a property, since TypeScript then accepts
 * observers of narrower record types in one map.
 */
export interface RecordObserver {
  observe(record: RecordOf<Collection>, observed: ObservedRecord): void;
}

/** Observations and findings of one organization during one run. */
export class Verification {
  readonly organization: OrganizationCode;
  readonly reads: TableReads;
  /** Collections of this version of the code, by name. */
  readonly collections: ReadonlyMap<string, Collection>;
  readonly findings: Finding[] = [];
  readonly observedCollections = new Map<string, ObservedCollection>();
  readonly freeRanks = new FreeRanks();
  readonly unindexed = new UnindexedRecords();
  readonly #repairable: { finding: Finding; check: Check<Repair | undefined> }[] = [];
  readonly #countOf = new Map<FindingKind, number>();
  /** Number of checks that got no snapshot. */
  unsettled = 0;
  /** Head of the latest read. */
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

  /** Undefined if this version of the code has no such collection. */
  collectionNamed(name: string): Collection | undefined {
    return this.collections.get(name);
  }

  /** Observations of a collection, at first none. */
  observedCollection(name: string): ObservedCollection {
    let observed = this.observedCollections.get(name);
    if (observed === undefined) {
      const collection = this.collectionNamed(name);
      const numbers = { flags: new SparseNumbers(), revisions: new SparseNumbers() };
      const none = { lost: [], both: [], unreadable: [], holeItems: new Map(), readTo: 0, checkedTo: 0 };
      observed = { name, collection, ...numbers, ...none };
      this.observedCollections.set(name, observed);
    }
    return observed;
  }

  /**
   * Adds a finding that one item proves, unless there are `maxListed` of its kind. `planRepairs` runs the check, which gives
   * the repair.
   */
  addFinding(kind: FindingKind, where: string, sentence: string, check?: Check<Repair | undefined>): void {
    const count = (this.#countOf.get(kind) ?? 0) + 1;
    this.#countOf.set(kind, count);
    if (count <= maxListed) {
      const finding: Finding = { kind, where, sentence };
      this.findings.push(finding);
      if (check) this.#repairable.push({ finding, check });
    }
    if (count === maxListed + 1)
      this.findings.push({ kind: 'more', where: kind, sentence: `There is more of the kind ${kind}.` });
  }

  /** Gives the findings of `addFinding` their repairs. */
  async planRepairs(): Promise<void> {
    const repairable = this.#repairable.splice(0);
    const repairs = await this.runChecks(repairable.map(({ check }) => check));
    for (const [at, { finding, check }] of repairable.entries()) {
      const repair = repairs[at];
      if (repair) finding.repair = withRepairRecheck(repair, check);
    }
  }

  /** Runs each check on a snapshot. The result is undefined, and counted in `unsettled`, if there was no snapshot. */
  async runChecks<T>(checks: readonly Check<T>[]): Promise<(T | undefined)[]> {
    const results = await runChecks(this.reads, checks);
    return results.map((result) => {
      if (result !== unsettled) return result;
      this.unsettled++;
      return undefined;
    });
  }

  /** Runs the checks, and adds the findings that they confirm. */
  async confirmFindings(checks: readonly Check<Finding | undefined>[]): Promise<void> {
    const results = await this.runChecks(checks);
    for (const [at, check] of checks.entries()) {
      const finding = results[at];
      if (finding) this.findings.push(withRecheck(finding, check));
    }
  }

  /**
   * Checks suspects in batches, until there are `maxListed` findings. The number of suspects has no limit: the longer the
   * queries take, the more suspects other writers make.
   */
  async inBatches<T>(
    suspects: Iterable<T>,
    subject: string,
    check: (batch: readonly T[]) => Promise<void>,
  ): Promise<void> {
    const before = this.findings.length;
    let batch: T[] = [];
    for (const suspect of suspects) {
      if (this.findings.length - before >= maxListed) {
        this.addFinding(
          'more',
          subject,
          `There may be more findings about ${subject}: the search ended after ${maxListed}.`,
        );
        return;
      }
      batch.push(suspect);
      if (batch.length < batchSize) continue;
      await check(batch);
      batch = [];
    }
    if (batch.length > 0) await check(batch);
  }

  /** Undefined while the head is not read yet. */
  headIn(snapshot: Snapshot): Head | undefined {
    const item = snapshot.get(headKey(this.organization));
    return item && parseHead(item);
  }

  /** Record's name in a sentence: its id, or its label and number. */
  nameOf(name: string, number: number): string {
    const collection = this.collectionNamed(name);
    if (collection === undefined) return `${name} ${number}`;
    const id = expectedIdOf(collection, this.organization, number);
    return typeof id === 'string' ? id : `${collection.label} ${number}`;
  }

  /** List's name in a sentence, from its partition. */
  listNameOf(partition: string): string {
    const key = parseListPartition(this.organization, partition);
    if (!key) return 'what is no list of the organization';
    const whose = key.owner ? ` of ${this.nameOf(key.owner.collection, key.owner.number)}` : '';
    return `the list ${redacted(listName(key))}${whose}`;
  }
}
