import { leadStatuses, type LeadStatus } from '../../../shared/contract/leads.ts';
import { recordId, type OrganizationCode } from '../../../shared/core/ids.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { formatDays, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { parseHead, withRevision, withState } from '../../../shared/ledger/internal/head.ts';
import {
  countsKey,
  headKey,
  holesKey,
  keyNamesOf,
  listName,
  listPartition,
  recordKey,
} from '../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  emptyList,
  formatState,
  hasCounts,
  withLeft,
  withNext,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments } from '../../../shared/ledger/internal/packed-numbers.ts';
import { searchAttributes } from '../../../shared/ledger/internal/searchables.ts';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { namesOf } from './lead-names.ts';

/**
 * A list whose members join and leave, each in a write of its own, with the items that the ledger stores for
 * its holes.
 */
class StatusList {
  #state: ListState = emptyList;
  /** Ranks that were left. */
  readonly #left: number[] = [];
  /** Buckets of the ranks that were left since the list has counts. */
  readonly #counted: number[] = [];
  /** Number of left ranks that the item of the counts has; undefined without such an item. */
  #leftNoted: number | undefined;

  get state(): ListState {
    return this.#state;
  }

  /** Adds a member. Returns its rank. */
  join(): number {
    const hadCounts = hasCounts(this.#state);
    this.#state = withNext(this.#state);
    if (!hadCounts && hasCounts(this.#state) && this.#state.left > 0) this.#leftNoted = this.#state.left;
    return this.#state.last;
  }

  leave(rank: number): void {
    this.#state = withLeft(this.#state, rank);
    this.#left.push(rank);
    if (!hasCounts(this.#state)) return;
    this.#counted.push(bucketPositionOf(rank).bucket);
    this.#leftNoted = this.#state.left;
  }

  /** Items of the holes, one a bucket, and of the counts. */
  notes(partition: string): Item[] {
    const byBucket = Map.groupBy(this.#left.map(bucketPositionOf), ({ bucket }) => bucket);
    const holes = [...byBucket].map(([bucket, places]): Item => {
      const offsets = places.map(({ offset }) => offset);
      return { ...holesKey(partition, bucket), ...Object.fromEntries(increments(holeBits, offsets)) };
    });
    if (this.#leftNoted === undefined) return holes;
    const counts = Object.fromEntries(increments(countBits, this.#counted));
    return [...holes, { ...countsKey(partition), ...counts, left: this.#leftNoted }];
  }
}

/** Number of status changes of each lead. */
const movesEach = 3;

/** Items that the service stores for a new organization, and for its first lead after its status changes. */
export interface Templates {
  founded: readonly Item[];
  lead: Item;
}

interface Move {
  number: number;
  from: LeadStatus;
  to: LeadStatus;
}

/** A lead after its last status change. */
interface LeftLead {
  status: LeadStatus;
  rank: number;
  /** Number of writes up to the last one to the lead. */
  writes: number;
}

const listOf = (status: LeadStatus) =>
  ({
    collection: leads.name,
    index: 'gsi1',
    name: status,
    owner: { collection: pipelines.name, number: 1 },
  }) as const;

/**
 * Leads of one organization, all created as pending. The status of each then changes three times, in writes
 * of its own that mix with those of other leads. A seed decides on statuses and order, so every run has the
 * same. Gives the items that the service would have stored.
 */
export class MovedLeads {
  readonly size: number;
  readonly code: OrganizationCode;
  /** Status changes in the order of time. */
  readonly moves: readonly Move[];
  readonly #lists: ReadonlyMap<LeadStatus, StatusList>;
  /** Leads by number, counted from 0. */
  readonly #leads: readonly LeftLead[];

  constructor(code: OrganizationCode, size: number) {
    this.code = code;
    this.size = size;
    const { random } = seededRandom(size);
    const lists = new Map(leadStatuses.map((status) => [status, new StatusList()]));
    this.#lists = lists;
    const join = (status: LeadStatus) => lists.get(status)?.join() ?? 0;
    const all = Array.from({ length: size }, (_, at): LeftLead => {
      return { status: 'pending', rank: join('pending'), writes: at + 1 };
    });
    this.#leads = all;
    this.moves = inAnyOrder(size, random).map((number, at) => {
      const lead = all[number - 1]!;
      const from = lead.status;
      const others = leadStatuses.filter((status) => status !== from);
      const to = others[Math.floor(random() * others.length)]!;
      lists.get(from)?.leave(lead.rank);
      all[number - 1] = { status: to, rank: join(to), writes: size + at + 1 };
      return { number, from, to };
    });
  }

  idOf(number: number): string {
    return recordId(leads.prefix, this.code, number);
  }

  /** Number of times that a lead came to this status. */
  joined(status: LeadStatus): number {
    return this.#lists.get(status)?.state.last ?? 0;
  }

  /** Ids of the leads with a status, in the order of its list: the newest in the status first. */
  idsOf(status: LeadStatus): string[] {
    return this.#leads
      .map((lead, at) => ({ ...lead, number: at + 1 }))
      .filter((lead) => lead.status === status)
      .sort((one, other) => other.rank - one.rank)
      .map(({ number }) => this.idOf(number));
  }

  /** Items of the organization, without events. */
  *items(templates: Templates): Generator<Item> {
    const { founded } = templates;
    const { version } = this.#headOf(founded);
    for (const item of founded) {
      if (item['sk'] === 'HEAD') yield this.#head(founded);
      else if (item['pk'] === recordKey(this.code, pipelines.name, 1).pk) yield this.#pipeline(item, version);
      else yield item;
    }
    for (const [at, lead] of this.#leads.entries()) yield this.#lead(templates.lead, at + 1, lead, version);
    for (const [status, list] of this.#lists) yield* list.notes(listPartition(this.code, listOf(status)));
  }

  #headOf(founded: readonly Item[]) {
    return parseHead(founded.find(({ sk }) => sk === 'HEAD'));
  }

  #head(founded: readonly Item[]): Item {
    const head = this.#headOf(founded);
    const version = head.version + this.size + this.moves.length;
    return {
      ...withRevision(
        withState({ ...head, version }, leads.name, { ...emptyList, last: this.size }),
        pipelines.name,
        version,
      ),
      ...headKey(this.code),
    };
  }

  /** Makes the pipeline with everything on one day, as if it happened within a day. */
  #pipeline(founded: Item, version: number): Item {
    const moved = leadStatuses.map((status) => this.moves.filter(({ to }) => to === status).length);
    const states = leadStatuses.map((status) => {
      const { state } = this.#lists.get(status)!;
      return [listName(listOf(status)), formatState(state)] as const;
    });
    const revision = version + this.size + this.moves.length;
    return {
      ...founded,
      days: formatDays([[this.size, ...moved]]),
      lists: Object.fromEntries(states),
      revision,
    };
  }

  #lead(template: Item, number: number, { status, rank, writes }: LeftLead, version: number): Item {
    const names = namesOf(number, this.size);
    const { pkName, skName } = keyNamesOf('gsi1');
    const texts = [names.firstName, names.lastName, names.businessName];
    return {
      ...template,
      ...names,
      ...searchAttributes(
        this.code,
        { collection: leads, number },
        texts.map((text) => text.toLowerCase()),
      ),
      ...recordKey(this.code, leads.name, number),
      [pkName]: listPartition(this.code, listOf(status)),
      [skName]: rank,
      id: this.idOf(number),
      status,
      revision: version + writes,
    };
  }
}

/** Each number as often as its lead moves, shuffled. */
function inAnyOrder(size: number, random: () => number): number[] {
  const numbers = Array.from({ length: size * movesEach }, (_, at) => 1 + (at % size));
  for (let at = numbers.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [numbers[at], numbers[other]] = [numbers[other]!, numbers[at]!];
  }
  return numbers;
}
