import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  dayCountPartition,
  headKey,
  isDayCount,
  isOwnItem,
  listPartition,
  holesPartition,
  parseFormerKey,
  parseListPartition,
  parseRecordKey,
  recordKey,
  queueKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { hasRightId } from './collections.ts';
import { isOfNewer } from './declared-lists.ts';
import { keyName, unknownItem, type Report } from './finding.ts';
import { settleForeign, type Placed } from './foreign-items.ts';
import { settleGrants } from './grants.ts';
import { LeadCounts } from './lead-counts.ts';
import { Lists } from './lists.ts';
import { namesIn } from './names-in.ts';
import { statesIn } from './notes.ts';
import { mark, observeNotes, settleNotes, settleNumbers } from './numbers.ts';
import { PipelineDays } from './pipeline-days.ts';
import { placeWhereMissing, provePlaces } from './prove-places.ts';
import { OptOuts } from './opt-outs.ts';
import { settlePhoneNumbers } from './phone-numbers.ts';
import type { Reading } from './rank-search.ts';
import { References } from './references.ts';
import type { Owner } from './seen-lists.ts';
import { hasRevision, judgeUnstamped, settleRevisions } from './revisions.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import { TouchedRecords } from './touched-records.ts';
import { judgeTurn } from './turn.ts';
import { Uniques } from './uniques.ts';

/** What a scan of the table showed of an organization: see `Options` of `verifyOrganization`. */
export interface Scanned {
  noted?: ReadonlyMap<string, string> | undefined;
  foreign?: readonly Placed[] | undefined;
}

/** One run over one organization. */
export class Verification {
  readonly #scene: Scene;
  readonly #noted: ReadonlyMap<string, string>;
  readonly #foreign: readonly Placed[] | undefined;
  /** The items that are no records and in an index of another organization, by name. */
  readonly #strange = new Set<string>();
  readonly #touched: TouchedRecords;
  readonly #lists: Lists;
  readonly #uniques: Uniques;
  readonly #references: References;
  readonly #leadCounts: LeadCounts;
  readonly #optOuts: OptOuts;
  readonly #pipelineDays: PipelineDays;
  #name: string | undefined;
  #items = 0;

  constructor(scene: Scene, { noted = new Map(), foreign }: Scanned) {
    this.#scene = scene;
    this.#noted = noted;
    this.#foreign = foreign;
    const reading: Reading = {
      read: (pk, observe) => this.#read(pk, observe),
      catchUp: (name) => this.#catchUp(scene.stateOf(name)),
    };
    this.#touched = new TouchedRecords(scene);
    this.#lists = new Lists(scene, reading, this.#touched);
    this.#leadCounts = new LeadCounts(scene, reading);
    this.#optOuts = new OptOuts(scene);
    this.#pipelineDays = new PipelineDays(scene);
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
    await this.#touched.settle();
    scene.findings.push(
      ...scene.unplaced.tell((collection, number) => (draft) => {
        placeWhereMissing(draft, scene, { collection, number });
      }),
    );
    this.#observeNoted();
    await this.#lists.settle();
    await this.#uniques.settle();
    await this.#references.settle();
    await this.#leadCounts.settle();
    await this.#optOuts.settle();
    await this.#pipelineDays.settle(() =>
      this.#lists.ownedBy({ collection: pipelines.name, number: pipelineNumber }),
    );
    await settleForeign(scene, this.#lists.partitions(), this.#foreign);
    await settleGrants(scene);
    await settlePhoneNumbers(scene);
    await scene.settleFindings([judgeTurn(scene)]);
    await scene.settleMends();
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

  /** The partitions that are no collection: the head's, the counter's, that of what a day counts, and that of the unique values. */
  async #readOthers(): Promise<void> {
    const { organization } = this.#scene;
    for (const key of [headKey(organization), queueKey(organization)]) {
      await this.#read(key.pk, (sk) => {
        if (sk !== key.sk) this.#unknown(key.pk, sk);
      });
    }
    const days = dayCountPartition(organization);
    await this.#read(days, (sk) => {
      if (!isDayCount(sk)) this.#unknown(days, sk);
    });
    await this.#read(`ORG#${organization}#UNIQUE`, (_, item) => {
      this.#uniques.observeValue(item);
    });
  }

  async #readCollection(state: CollectionState): Promise<void> {
    const { organization } = this.#scene;
    const notes = new Map<string, Item>();
    await this.#read(holesPartition(listPartition(organization, { collection: state.name })), (sk, item) =>
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
      for (const item of page) {
        const sk = String(item['sk']);
        if (!this.#scene.collectionNamed(parseRecordKey({ pk, sk })?.collection ?? ''))
          this.#proveOwn({ pk, sk }, item);
        observe(sk, item);
      }
    }
  }

  /** Proves of what is no record, or cannot be read as one, that it is in no index of another organization. */
  #proveOwn(key: Key, item: Item): void {
    const where = keyName(key);
    if (isOwnItem(this.#scene.organization, item) || this.#strange.has(where)) return;
    this.#strange.add(where);
    const sentence = `${where} says that it is in an index of another organization.`;
    this.#scene.find('list-unknown', where, sentence);
  }

  /** Takes note of a record, once. */
  #observe(state: CollectionState, number: number, item: Item): void {
    if ((state.marks.get(number) & marks.record) !== 0) return;
    mark(state, number, marks.record);
    const scene = this.#scene;
    const { collection } = state;
    const where = scene.nameOf(state.name, number);
    if (hasRevision(item)) state.revisions.set(number, item.revision);
    const parsed = collection && v.safeParse(collection.schema, item);
    if (!hasRevision(item) || !statesIn(item) || parsed?.success === false) {
      const names = [
        ...(hasRevision(item) ? [] : ['revision']),
        ...(statesIn(item) ? [] : ['lists']),
        ...(parsed?.issues ? [namesIn(parsed.issues)] : []),
      ];
      const judge = {
        revision: judgeUnstamped(scene, state.name, number),
        lists: this.#lists.judgeStates(state.name, number),
      }[names.join()];
      scene.find('record-malformed', where, `${where} cannot be read: ${names.join(', ')}.`, judge);
    }
    if (!collection || !parsed?.success) {
      state.unreadable.push(number);
      if (collection) this.#proveOwn(recordKey(scene.organization, state.name, number), item);
      this.#lists.observe(state, number, item);
      return;
    }
    const observed = { state, collection, number, item, record: parsed.output };
    this.#lists.observe(state, number, item, provePlaces(scene, observed));
    if (!hasRightId(collection, scene.organization, number, item))
      scene.find('record-id', where, `${where} carries another id than its key.`);
    if (collection.name === organizations.name && typeof item['name'] === 'string') this.#name = item['name'];
    this.#touched.observe(observed);
    this.#uniques.observe(observed);
    this.#references.observe(observed);
    this.#leadCounts.observe(observed);
    this.#optOuts.observe(observed);
    this.#pipelineDays.observe(observed);
  }

  /** Takes note of the lists of which a scan showed notes; what is of no list is damage at once, as it stays. */
  #observeNoted(): void {
    const { organization, head, states } = this.#scene;
    for (const [partition, sk] of this.#noted) {
      const former = parseFormerKey({ pk: holesPartition(partition), sk });
      if (former && this.#observeFormer(former)) continue;
      const key = parseListPartition(organization, partition);
      const isCollection = key && key.index === undefined;
      const isKnown = isCollection
        ? states.has(key.collection)
        : key && (this.#lists.observeNotes(partition, sk) || isOfNewer(this.#scene, head, key));
      if (!isKnown) this.#unknown(holesPartition(partition), sk);
    }
  }

  /** Takes note of what is kept of a removed record; false where there can be no such record. */
  #observeFormer({ collection, number }: Owner): boolean {
    const scene = this.#scene;
    if (scene.collectionNamed(collection)) this.#lists.observeFormer({ collection, number });
    // Else a newer version of the code may have put it there.
    return scene.states.has(collection);
  }

  #unknown(pk: string, sk: string): void {
    this.#scene.findings.push(unknownItem({ pk, sk }));
  }
}
