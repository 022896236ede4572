import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { OtherForm, parseHead, stateIn, type Head } from '../../../shared/ledger/internal/head.ts';
import { recordId, type OrganizationCode } from '../../../shared/core/ids.ts';
import {
  headKey,
  listPartition,
  notesPartition,
  parseListPartition,
  recordKey,
  turnKey,
} from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { collections as allCollections, idOf } from './collections.ts';
import { keyName, unknownItem, type Finding, type Report } from './finding.ts';
import { settleGrants } from './grants.ts';
import { Lists } from './lists.ts';
import { readState, statesIn } from './notes.ts';
import { mark, observeNotes, settleNotes, settleNumbers } from './numbers.ts';
import { provePlaces } from './places.ts';
import { References } from './references.ts';
import { settleRevisions } from './revisions.ts';
import { marks, Scene, type CollectionState } from './scene.ts';
import { isOfNewer } from './seen-lists.ts';
import { settle, unsettled } from './snapshots.ts';
import { TableReads, type TableAccess } from './table-reads.ts';
import { Uniques } from './uniques.ts';

/**
 * Proves an organization whole, or tells what is not. It reads each of its partitions, most of them once, and writes nothing.
 *
 * Others may write to the organization meanwhile, and no change of theirs is taken for damage:
 *
 * - What one item shows by itself is stored: DynamoDB shows no item that was never committed. So an item that cannot be
 *   read, or has another's id, is damage at once.
 * - What takes more than one item is only suspected from the queries, since they show items of several moments, and of a
 *   transaction perhaps some. Each suspicion is then judged on a serializable read of all the items that decide it
 *   (`settle`). What it judges holds after every write, so in such a read nothing but damage breaks it.
 * - Whether a list lacks a member is decided by two such reads, between which all records are looked at that may be the
 *   member (`Lists`).
 *
 * It ends while others write: only what is there up to one version of the head is asked for, so suspicions are limited by
 * what was written during the queries; each is judged a bounded number of times. What could not be judged within that is a
 * finding of the kind `unsettled`.
 */
export async function verifyOrganization(
  access: TableAccess,
  organization: OrganizationCode,
  { noted = new Map(), collections = allCollections }: Options = {},
): Promise<Report> {
  const reads = new TableReads(access);
  // By a serializable read, since an organization may be founded at this moment.
  const [found] = await settle(reads, [(look) => look(headKey(organization))]);
  const head = found === unsettled ? await reads.get(headKey(organization)) : found;
  const start = head && startHead(organization, head);
  if (!start || 'finding' in start)
    return withoutHead(reads, organization, { collections, finding: start?.finding });
  const scene = new Scene(organization, reads, { head: start.head, collections });
  return new Verification(scene, noted).run();
}

export interface Options {
  /**
   * One sort key of the notes of each list that has any, by the list's partition, as a scan of the table shows them. Without
   * them, notes are looked for where they may be by the lists' states.
   */
  noted?: ReadonlyMap<string, string> | undefined;
  /** Those of the project, unless a test has others. */
  collections?: readonly Collection[];
}

/** The head, or what is wrong with it. */
function startHead(organization: OrganizationCode, item: Item): { head: Head } | { finding: Finding } {
  const where = keyName(headKey(organization));
  try {
    const head = parseHead(item);
    if (Object.values(head.lists).every(readState)) return { head };
    return { finding: { kind: 'head-malformed', where, sentence: `${where} cannot be read: lists.` } };
  } catch (error) {
    if (error instanceof OtherForm) {
      return { finding: { kind: 'head-form', where, sentence: `${where}: ${error.message}` } };
    }
    if (!v.isValiError(error)) throw error;
    const sentence = `${where} cannot be read: ${namesIn(error.issues)}.`;
    return { finding: { kind: 'head-malformed', where, sentence } };
  }
}

/** Without a head nothing can be proved; whether anything else is there tells if there ever was such an organization. */
async function withoutHead(
  reads: TableReads,
  organization: OrganizationCode,
  { collections, finding }: { collections: readonly Collection[]; finding: Finding | undefined },
): Promise<Report> {
  const where = keyName(headKey(organization));
  const missing = {
    kind: 'head-missing',
    where,
    sentence: `${where} is missing: without it the organization's records are numbers without a list.`,
  } as const;
  const report = { organization, name: undefined, version: undefined, counts: {}, items: finding ? 1 : 0 };
  for (const { name } of collections) {
    for await (const page of reads.partition(recordKey(organization, name, 1).pk)) {
      report.items += page.length;
      break;
    }
    if (report.items > 0) break;
  }
  return { ...report, findings: [finding ?? missing] };
}

/** One run over one organization. */
class Verification {
  readonly #scene: Scene;
  readonly #noted: ReadonlyMap<string, string>;
  readonly #lists: Lists;
  readonly #uniques: Uniques;
  readonly #references: References;
  #name: string | undefined;
  #items = 0;

  constructor(scene: Scene, noted: ReadonlyMap<string, string>) {
    this.#scene = scene;
    this.#noted = noted;
    this.#lists = new Lists(scene, {
      read: (pk, observe) => this.#read(pk, observe),
      catchUp: (name) => this.#catchUp(scene.stateOf(name)),
    });
    this.#uniques = new Uniques(scene);
    this.#references = new References(scene);
    for (const name of scene.collections.keys()) scene.stateOf(name);
    // A newer version of the code may have collections that this one does not know: of those, the numbers are proved.
    for (const name of Object.keys(scene.head.lists)) if (!name.includes('#')) scene.stateOf(name);
  }

  async run(): Promise<Report> {
    const scene = this.#scene;
    await this.#readOthers();
    for (const state of this.#states()) await this.#readCollection(state);
    // What was written since, so that it need not be suspected item by item.
    for (const state of this.#states()) await this.#catchUp(state);
    for (const state of this.#states()) {
      await settleNumbers(scene, state, (number, item) => {
        this.#observe(state, number, item);
      });
      await settleNotes(scene, state);
    }
    await settleRevisions(scene);
    this.#observeNoted();
    await this.#lists.settle();
    await this.#uniques.settle();
    await this.#references.settle();
    await settleGrants(scene);
    await this.#settleTurn();
    if (scene.unsettled > 0) {
      const where = keyName(headKey(scene.organization));
      const sentence = `What could not be judged, since it was written to each time it was read: ${scene.unsettled}. Verify again.`;
      scene.find('unsettled', where, sentence);
    }
    return this.#report();
  }

  #report(): Report {
    const { organization, head, findings } = this.#scene;
    const counts = Object.fromEntries(
      [...this.#states()].map(({ name }) => [name, lengthOf(stateIn(head, name))]),
    );
    return {
      organization,
      name: this.#name,
      version: head.version,
      counts,
      items: this.#items,
      findings,
    };
  }

  /** The collections, events last, so that what names them was read before. */
  #states(): CollectionState[] {
    return [...this.#scene.states.values()].sort(
      (one, other) => Number(one.name === events.name) - Number(other.name === events.name),
    );
  }

  /** The partitions that are no collection: the head's, the counter's, and that of the unique values. */
  async #readOthers(): Promise<void> {
    const { organization } = this.#scene;
    for (const key of [headKey(organization), turnKey(organization)]) {
      await this.#read(key.pk, (sk) => {
        if (sk !== key.sk) this.#unknown(key.pk, sk);
      });
    }
    await this.#read(`ORG#${organization}#UNIQUE`, (_, item) => {
      this.#uniques.observeValue(item);
    });
  }

  async #readCollection(state: CollectionState): Promise<void> {
    const { organization } = this.#scene;
    const notes = new Map<string, Item>();
    await this.#read(notesPartition(listPartition(organization, { collection: state.name })), (sk, item) =>
      notes.set(sk, item),
    );
    observeNotes(this.#scene, state, notes);
    // Before its records: what is added while they are read is read again.
    state.readTo = stateIn(this.#scene.head, state.name).last;
    const { pk } = recordKey(organization, state.name, 1);
    await this.#read(pk, (sk, item) => {
      const number = /^\d{12}$/.test(sk) ? Number(sk) : 0;
      if (number === 0) this.#unknown(pk, sk);
      else this.#observe(state, number, item);
    });
  }

  /** Reads the records that were added since the collection was read. */
  async #catchUp(state: CollectionState): Promise<void> {
    const scene = this.#scene;
    const item = await scene.reads.get(headKey(scene.organization));
    scene.head = parseHead(item);
    const { last } = stateIn(scene.head, state.name);
    if (last <= state.readTo) return;
    const { pk, sk: after } = recordKey(scene.organization, state.name, state.readTo);
    state.readTo = last;
    await this.#read(
      pk,
      (sk, item) => {
        if (/^\d{12}$/.test(sk)) this.#observe(state, Number(sk), item);
      },
      after,
    );
  }

  async #read(pk: string, observe: (sk: string, item: Item) => void, after?: string): Promise<void> {
    for await (const page of this.#scene.reads.partition(pk, after)) {
      if (after === undefined) this.#items += page.length;
      for (const item of page) observe(String(item['sk']), item);
    }
  }

  /** Takes note of a record, once. */
  #observe(state: CollectionState, number: number, item: Item): void {
    if ((state.marks.get(number) & marks.record) !== 0) return;
    mark(state, number, marks.record);
    const scene = this.#scene;
    const { collection } = state;
    const where = scene.nameOf(state.name, number);
    const { revision } = item;
    const hasRevision = typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 1;
    if (hasRevision) state.revisions.set(number, revision);
    const parsed = collection && v.safeParse(collection.schema, item);
    const hasStates = statesIn(item) !== undefined;
    if (!hasRevision || !hasStates || parsed?.success === false) {
      const names = [
        ...(hasRevision ? [] : ['revision']),
        ...(hasStates ? [] : ['lists']),
        ...(parsed?.issues ? [namesIn(parsed.issues)] : []),
      ];
      scene.find('record-malformed', where, `${where} cannot be read: ${names.join(', ')}.`);
    }
    this.#lists.observe(state, number, item);
    if (!collection || !parsed?.success) return;
    if (
      !hasRightId(
        scene.organization,
        collection.name,
        number,
        item,
        idOf(collection, scene.organization, number),
      )
    )
      scene.find('record-id', where, `${where} carries another id than its key.`);
    if (collection.name === organizations.name && typeof item['name'] === 'string') this.#name = item['name'];
    const observed = { state, collection, number, item, record: parsed.output };
    provePlaces(scene, observed);
    this.#uniques.observe(observed);
    this.#references.observe(observed);
  }

  /** Takes note of the lists of which a scan showed notes; what is of no list is damage at once, as it stays. */
  #observeNoted(): void {
    const { organization, head, states } = this.#scene;
    for (const [partition, sk] of this.#noted) {
      const key = parseListPartition(organization, partition);
      const isCollection = key && key.index === undefined;
      const isKnown = isCollection
        ? states.has(key.collection)
        : key && (this.#lists.observeNotes(partition, sk) || isOfNewer(this.#scene, head, key));
      if (!isKnown) this.#unknown(notesPartition(partition), sk);
    }
  }

  /** Where the counter is behind the head, writers take numbers that were served already, and wait for others. */
  async #settleTurn(): Promise<void> {
    const key = turnKey(this.#scene.organization);
    await this.#scene.settleFindings([
      (look) => {
        const taken = look(key)?.['taken'];
        const served = this.#scene.headIn(look)?.queue?.served ?? 0;
        if (served <= (typeof taken === 'number' ? taken : 0)) return undefined;
        const where = keyName(key);
        const sentence = `${where} has given out fewer numbers than the ${served} that the head has served.`;
        return { kind: 'turn-behind', where, sentence };
      },
    ]);
  }

  #unknown(pk: string, sk: string): void {
    this.#scene.findings.push(unknownItem({ pk, sk }));
  }
}

function hasRightId(
  organization: OrganizationCode,
  collection: string,
  number: number,
  item: Item,
  id: string | number,
): boolean {
  if (item['id'] !== id) return false;
  return collection !== members.name || item['userId'] === recordId('user', organization, number);
}

/** The names of the fields that are wrong: the outermost alone, since what is within may be someone's data. */
function namesIn(issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  return [...new Set(issues.map((issue) => v.getDotPath(issue)?.split('.')[0] ?? 'the item'))].join(', ');
}
