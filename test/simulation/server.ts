import type { Item } from './attribute-values.ts';
import { Chance, type Behaviour } from './behaviour.ts';
import { nameOf, type TableDescription } from './index-keys.ts';
import { TableItems, type Cell, type TableKey, type Version } from './table-items.ts';
import { TrailingIndex } from './trailing-index.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A sender of calls. Once it is dead, its promises never settle; calls that it sent still arrive. */
export interface Sender {
  readonly name: string;
  dead: boolean;
}

/** One write of an item. `before` or `after` is undefined if the item did not or does not exist. */
export interface CommittedWrite {
  key: TableKey;
  before: Item | undefined;
  after: Item | undefined;
}

/** A transaction or a single write, once it is decided. */
export interface Commit {
  sender: Sender;
  token: string | undefined;
  /** Virtual time in epoch milliseconds. */
  at: number;
  writes: CommittedWrite[];
}

/** A call that was refused for a conflict or a failed condition. */
export interface Refusal {
  sender: Sender;
  command: 'TransactWriteItems' | 'TransactGetItems' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
  token: string | undefined;
  at: number;
  /** Code of each part, in order; 'None' for a part that did not fail. */
  reasons: { key: TableKey; code: string }[];
}

/** Number of calls, and their cost. */
export interface Stats {
  /** Calls sent, by operation name such as `GetItem`. */
  calls: Record<string, number>;
  /**
   * Write transactions. A refused one counts under its first reason; a repeated one had already been stored.
   */
  transactions: { sent: number; stored: number; repeated: number; refused: Record<string, number> };
  /** Capacity units consumed, also by refused transactions, although DynamoDB reports none for them. */
  units: { read: number; write: number };
}

export type Result = { output: object } | { error: Error };

/** Carries out a valid request once it has arrived. */
export type CarryOut = (reply: (result: Result) => void) => void;

export interface Observers {
  onCommit?: ((commit: Commit) => void) | undefined;
  onRefusal?: ((refusal: Refusal) => void) | undefined;
}

interface PastVersion {
  version: Version | undefined;
  /** Time of replacement. */
  until: number;
}

/** Recent past versions of items. An eventually consistent read may come from a stale replica. */
class PastVersions {
  readonly #past = new Map<string, PastVersion[]>();

  /** Records the version that a key had until now. Forgets versions replaced before `oldest`. */
  note(key: TableKey, version: Version | undefined, { now, oldest }: { now: number; oldest: number }): void {
    const name = nameOf(key);
    const kept = (this.#past.get(name) ?? []).filter(({ until }) => until > oldest);
    kept.push({ version, until: now });
    this.#past.set(name, kept);
  }

  /** Version of a key at a past time; `current` if it was not replaced since. */
  at(key: TableKey, time: number, current: Version | undefined): Version | undefined {
    const found = this.#past.get(nameOf(key))?.find(({ until }) => until > time);
    return found ? found.version : current;
  }
}

/** State that all operations share: table, indexes, time, chance and statistics. */
export class Server {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly behaviour: Behaviour;
  readonly table: TableDescription;
  readonly items = new TableItems();
  readonly #past = new PastVersions();
  readonly indexes: readonly TrailingIndex[];
  readonly observers: Observers = {};
  readonly stats: Stats = {
    calls: {},
    transactions: { sent: 0, stored: 0, repeated: 0, refused: {} },
    units: { read: 0, write: 0 },
  };

  constructor(time: VirtualTime, random: () => number, behaviour: Behaviour, table: TableDescription) {
    this.time = time;
    this.chance = new Chance(random);
    this.behaviour = behaviour;
    this.table = table;
    this.indexes = table.indexes.map(
      (description) => new TrailingIndex(description, time, this.chance, behaviour),
    );
  }

  /** Commits a version of an item, or its deletion; the indexes follow. */
  commit(cell: Cell, after: Version | undefined): void {
    const before = cell.version;
    const { now } = this.time;
    this.#past.note(cell, before, { now, oldest: now - this.behaviour.staleness[1] });
    this.items.commit(cell, after);
    for (const index of this.indexes) index.follow({ pk: cell.pk, sk: cell.sk }, before, after);
  }

  /** Version that a read of one item shows now: perhaps a stale one, unless the read is consistent. */
  versionFor(key: TableKey, { isConsistent }: { isConsistent: boolean }): Version | undefined {
    const current = this.items.versionAt(key);
    const { staleReadChance, staleness } = this.behaviour;
    if (isConsistent || !this.chance.happens(staleReadChance)) return current;
    return this.#past.at(key, this.time.now - this.chance.within(staleness), current);
  }

  chargeRead(units: number): number {
    this.stats.units.read += units;
    return units;
  }

  chargeWrite(units: number): number {
    this.stats.units.write += units;
    return units;
  }
}
