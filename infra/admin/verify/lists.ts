import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { numberingOf, type Head } from '../../../shared/ledger/internal/head.ts';
import { recordKey, viewIndexes, viewKey, type ViewIndex } from '../../../shared/ledger/internal/keys.ts';
import { liveCount } from '../../../shared/ledger/internal/numbering.ts';
import { collectionNamed } from './collections.ts';
import type { Finding } from './finding.ts';
import { marks, type Observed, type Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';

/** What a list is: the members' collection, and what its key in an index says. */
interface ListKey {
  index: ViewIndex;
  of: string;
  owner?: { collection: string; number: number };
  filter?: string;
}

/** What was seen of one list: little, since there are as many lists as owners. */
interface ListState {
  /** The ranks from 1 to this one were all seen. */
  dense: number;
  /** Those seen beyond it. */
  later?: Set<number>;
  /** The greatest rank, and the number of the member that has it. */
  topRank: number;
  topNumber: number;
  /** As the owner was read; undefined where it was not. */
  length?: number;
}

type KeyedList = ListState & { key: ListKey };

/** More members than this that were not seen do not fit into one snapshot. */
const maxUnseen = 90;
/** How often what was added since is read before members are judged, and the longest wait between, in milliseconds. */
const maxRounds = 20;
const longestWait = 100;
/** How many missing ranks a sentence names. */
const maxNamed = 5;

/**
 * Proves that the ranks of each list are dense from 1, that no two members have the same, and that the list is as long as
 * its owner (or the head) says.
 *
 * The rank that no member was seen to have is the one case that no snapshot of known items settles, since a rank says
 * nothing of which record has it. But a member's place is stored with the member and stays, and each member has a number
 * up to the head's last. So those members that were seen without the rank are out of question, and one snapshot of the
 * head, the owner and all numbers that were not seen decides. What was added since is queried first, again and again until
 * so few are left that they fit.
 */
export class Lists {
  readonly #scene: Scene;
  readonly #lists = new Map<string, ListState>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  observe({ state, collection, number, item, record }: Observed): void {
    for (const list of collection.lists?.(record) ?? []) {
      const { of, index, filter, length } = list;
      const owner = { collection: state.name, number };
      const name = this.#nameOf({ index, of, owner, ...(filter !== undefined && { filter }) });
      const known = this.#lists.get(name);
      if (known) known.length = length;
      else if (length > 0) this.#listAt(name).length = length;
    }
    for (const index of viewIndexes) this.#observePlace(state.name, number, index, item);
  }

  async settle(catchUp: (name: string) => Promise<void>): Promise<void> {
    for (const [at, filtered] of Object.entries(this.#scene.head.collections)) {
      const [of = '', filter] = at.split('#');
      if (filter === undefined || liveCount(filtered) === 0) continue;
      // Which index holds a list of the organization is not declared: members that are there tell.
      const isThere = viewIndexes.some((index) => this.#lists.has(this.#nameOf({ index, of, filter })));
      if (!isThere) this.#listAt(this.#nameOf({ index: viewIndexes[0], of, filter }));
    }
    // All at once: what is read meanwhile brings new lists, which are of no version that is asked for.
    const doubtful = [...this.#doubtful()];
    await this.#scene.inPortions(doubtful, 'the lists', (portion) => this.#settlePortion(portion, catchUp));
  }

  async #settlePortion(
    portion: readonly KeyedList[],
    catchUp: (name: string) => Promise<void>,
  ): Promise<void> {
    let doubtful = portion;
    for (let round = 1; doubtful.length > 0; round++) {
      if (round > maxRounds) {
        this.#scene.unsettled += doubtful.length;
        break;
      }
      for (const name of new Set(doubtful.map(({ key }) => key.of))) await catchUp(name);
      const results = await this.#scene.settle(doubtful.map((list) => this.#judge(list)));
      const later: KeyedList[] = [];
      for (const [at, result] of results.entries()) {
        const list = doubtful[at];
        if (result === 'later' && list) later.push(list);
        else if (result !== undefined && result !== 'later') this.#scene.findings.push(...result);
      }
      doubtful = later;
      const { system } = this.#scene.reads;
      if (doubtful.length > 0) await system.sleep(system.random() * Math.min(longestWait, 2 ** round));
    }
  }

  #observePlace(name: string, number: number, index: ViewIndex, item: Item): void {
    const at = item[index];
    const rank = item[`${index}Rank`];
    if (at === undefined && rank === undefined) return;
    const where = this.#scene.nameOf(name, number);
    const key = typeof at === 'string' ? this.#parse(index, at) : undefined;
    if (key?.of !== name || typeof rank !== 'number' || !Number.isSafeInteger(rank) || rank < 1) {
      const sentence = `${where} says of ${index} what is no place in a list of ${name}.`;
      this.#scene.find('list-unknown', where, sentence);
      return;
    }
    const list = this.#listAt(this.#nameOf(key));
    if (rank <= list.dense || list.later?.has(rank)) {
      // Places stay as they are, so no change under way can show two members at one.
      const sentence = `${where} has rank ${rank} of ${this.#describe(key)}, and so has another ${name}.`;
      this.#scene.find('rank-doubled', where, sentence);
      return;
    }
    if (rank > list.topRank) [list.topRank, list.topNumber] = [rank, number];
    if (rank > list.dense + 1) (list.later ??= new Set()).add(rank);
    else list.dense++;
    while (list.later?.delete(list.dense + 1)) list.dense++;
  }

  *#doubtful(): Generator<KeyedList> {
    for (const [name, list] of this.#lists) {
      const key = this.#keyOf(name);
      const { dense, topRank } = list;
      const isWhole = dense === topRank && this.#isFine(key, list);
      // The same object: members that are read later are noted there.
      if (!isWhole) yield Object.assign(list, { key });
    }
  }

  /** Whether a dense list is as long as it should be, as far as was read. */
  #isFine(key: ListKey, { dense, length }: ListState): boolean {
    if (!key.owner) return dense === this.#lengthInHead(this.#scene.head, key);
    if (length !== undefined) return dense === length;
    const { collection, number } = key.owner;
    return this.#scene.stateOf(collection).marks.get(number) === marks.hole;
  }

  #judge(list: KeyedList): Judge<Finding[] | 'later'> {
    const { key } = list;
    const { organization } = this.#scene;
    const where = this.#describe(key);
    return (look) => {
      const head = this.#scene.headIn(look);
      const length = this.#lengthIn(list, head, look);
      const { topRank, topNumber } = list;
      const topItem = topRank > 0 ? look(recordKey(organization, key.of, topNumber)) : undefined;
      if (!head) return [];
      if (length === 'unreadable') return [];
      if (length === 'unknown') {
        const member = this.#scene.nameOf(key.of, topNumber);
        const sentence = `${member} is in ${where}, which is no list that this version of the code knows.`;
        return [{ kind: 'list-unknown', where: member, sentence }];
      }
      const found: Finding[] = [];
      if (topRank > length && topItem?.[`${key.index}Rank`] === topRank) {
        const member = this.#scene.nameOf(key.of, topNumber);
        const sentence = `${member} has rank ${topRank} of ${where}, which has ${length} by its count.`;
        found.push({ kind: 'rank-beyond', where: member, sentence });
      }
      const missing = this.#missing(list, length);
      if (missing.size === 0) return found;
      const unseen = this.#unseen(key.of, numberingOf(head, key.of).last);
      if (unseen.length > maxUnseen) return 'later';
      for (const number of unseen) {
        const item = look(recordKey(organization, key.of, number));
        const at = item?.[key.index];
        const rank = item?.[`${key.index}Rank`];
        const isMember = typeof at === 'string' && at === this.#viewKey(key);
        if (isMember && typeof rank === 'number') missing.delete(rank);
      }
      if (missing.size > 0) {
        const ranks = [...missing];
        const more = ranks.length > maxNamed ? ` and ${ranks.length - maxNamed} more` : '';
        const named = ranks.slice(0, maxNamed).join(', ');
        const sentence = `No member of ${where} has rank ${named}${more}, though it has ${length} by its count.`;
        found.push({ kind: 'rank-missing', where, sentence });
      }
      return found;
    };
  }

  /** How long a list must be in a snapshot: where its owner was deleted, as long as the greatest rank says. */
  #lengthIn(
    { key, topRank }: KeyedList,
    head: Head | undefined,
    look: Look,
  ): number | 'unknown' | 'unreadable' {
    if (!key.owner) {
      const length = head && this.#lengthInHead(head, key);
      return length ?? 'unknown';
    }
    const { collection: name, number } = key.owner;
    const collection = collectionNamed(name);
    const item = look(recordKey(this.#scene.organization, name, number));
    if (!collection?.lists) return 'unknown';
    if (!item) return head && number > numberingOf(head, name).last ? 'unknown' : topRank;
    const record = v.safeParse(collection.schema, item);
    // A record that cannot be read is a finding of its own.
    if (!record.success) return 'unreadable';
    const lists = collection.lists(record.output);
    const list = lists.find(
      ({ of, index, filter }) => of === key.of && index === key.index && filter === key.filter,
    );
    return list?.length ?? 'unknown';
  }

  #lengthInHead(head: Head, { of, filter }: ListKey): number | undefined {
    if (filter === undefined) return undefined;
    const numbering = head.collections[`${of}#${filter}`];
    return numbering && liveCount(numbering);
  }

  #missing({ dense, later }: ListState, length: number): Set<number> {
    const missing = new Set<number>();
    for (let rank = dense + 1; rank <= length && missing.size < 10 * maxUnseen; rank++) {
      if (!later?.has(rank)) missing.add(rank);
    }
    return missing;
  }

  /** The numbers that may be members which were not seen: neither record nor hole, and not known to be missing. */
  #unseen(name: string, last: number): number[] {
    const state = this.#scene.stateOf(name);
    const unseen: number[] = [];
    while (state.marks.get(state.knownTo + 1) !== 0) state.knownTo++;
    for (let number = state.knownTo + 1; number <= last && unseen.length <= maxUnseen; number++) {
      if (state.marks.get(number) === 0) unseen.push(number);
    }
    return unseen;
  }

  #listAt(name: string): ListState {
    let list = this.#lists.get(name);
    if (list === undefined) this.#lists.set(name, (list = { dense: 0, topRank: 0, topNumber: 0 }));
    return list;
  }

  #keyOf(name: string): ListKey {
    const index = viewIndexes.find((one) => name.startsWith(`${one}#`));
    const key =
      index && this.#parse(index, `ORG#${this.#scene.organization}#${name.slice(index.length + 1)}`);
    if (!key) throw new Error('A list of a name that was not given to any');
    return key;
  }

  /** Short, since there is one for each list of the organization: the index, and the key in it without the organization. */
  #nameOf(key: ListKey): string {
    return `${key.index}#${this.#viewKey(key).slice(`ORG#${this.#scene.organization}#`.length)}`;
  }

  #viewKey({ of, owner, filter }: ListKey): string {
    return viewKey(this.#scene.organization, { collection: of, owner, filter });
  }

  /** Reads a key in an index; undefined for what `viewKey` would not build for this organization. */
  #parse(index: ViewIndex, at: string): ListKey | undefined {
    const start = `ORG#${this.#scene.organization}#`;
    if (!at.startsWith(start)) return undefined;
    const parts = at.slice(start.length).split('#');
    const [first = '', second = '', third = '', fourth] = parts;
    if (parts.length === 2 && !/^\d+$/.test(second)) return { index, of: first, filter: second };
    if (parts.length < 3 || parts.length > 4 || !/^\d{12}$/.test(second)) return undefined;
    const owner = { collection: first, number: Number(second) };
    return { index, of: third, owner, ...(fourth !== undefined && { filter: fourth }) };
  }

  #describe({ index, of, owner, filter }: ListKey): string {
    const whose = owner ? ` of ${this.#scene.nameOf(owner.collection, owner.number)}` : '';
    return `the list ${of}${filter === undefined ? '' : `#${filter}`}${whose} (${index})`;
  }
}
