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
  uniquePartition,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { hasRightId } from './collections.ts';
import { isOfNewer } from './declared-lists.ts';
import { keyName, unknownItem, type Report } from './finding.ts';
import { verifyForeignItems, type IndexedItem } from './foreign-items.ts';
import { verifyGrants } from './grants.ts';
import { LeadCounts } from './lead-counts.ts';
import { ListsCheck } from './lists-check.ts';
import { malformedFields } from './finding.ts';
import { statesIn } from './hole-items.ts';
import { setFlag, observeHoleItems, verifyHoles, verifyNumbers } from './record-numbers.ts';
import { PipelineDays } from './pipeline-days.ts';
import { addMissingPositions, verifyPositions } from './record-positions.ts';
import { OptOuts } from './opt-outs.ts';
import { verifyPhoneNumbers } from './phone-numbers-check.ts';
import type { PartitionReader } from './rank-search.ts';
import { References } from './references.ts';
import type { Owner } from './observed-lists.ts';
import { hasRevision, checkMissingRevision, verifyRevisions } from './revisions.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';
import { TouchedRecordsCheck } from './touched-records-check.ts';
import { checkQueueCounter } from './queue-counter.ts';
import { UniqueValuesCheck } from './unique-values-check.ts';

/** Results of a scan of the table for one organization; see `Options` of `verifyOrganization`. */
export interface ScanResults {
  holeItems?: ReadonlyMap<string, string> | undefined;
  foreignItems?: readonly IndexedItem[] | undefined;
}

export class OrganizationVerifier {
  readonly #verification: Verification;
  readonly #holeItems: ReadonlyMap<string, string>;
  readonly #foreignItems: readonly IndexedItem[] | undefined;
  /** Names of the reported items that stand in an index of another organization. */
  readonly #foreignNames = new Set<string>();
  readonly #touchedRecords: TouchedRecordsCheck;
  readonly #lists: ListsCheck;
  readonly #uniqueValues: UniqueValuesCheck;
  readonly #references: References;
  readonly #leadCounts: LeadCounts;
  readonly #optOuts: OptOuts;
  readonly #pipelineDays: PipelineDays;
  #name: string | undefined;
  #items = 0;

  constructor(verification: Verification, { holeItems = new Map(), foreignItems }: ScanResults) {
    this.#verification = verification;
    this.#holeItems = holeItems;
    this.#foreignItems = foreignItems;
    const reader: PartitionReader = {
      read: (pk, observe) => this.#read(pk, observe),
      catchUp: (name) => this.#catchUp(verification.observedCollection(name)),
    };
    this.#touchedRecords = new TouchedRecordsCheck(verification);
    this.#lists = new ListsCheck(verification, reader, this.#touchedRecords);
    this.#leadCounts = new LeadCounts(verification, reader);
    this.#optOuts = new OptOuts(verification);
    this.#pipelineDays = new PipelineDays(verification);
    this.#uniqueValues = new UniqueValuesCheck(verification);
    this.#references = new References(verification);
    for (const name of verification.collections.keys()) verification.observedCollection(name);
    // The head may name collections of a newer version of the code. Of those, the numbers alone are verified.
    for (const name of Object.keys(verification.head.lists))
      if (!name.includes('#')) verification.observedCollection(name);
  }

  async run(): Promise<Report> {
    const verification = this.#verification;
    await this.#readOthers();
    for (const observed of this.#collections()) await this.#readCollection(observed);
    // Reads the records that were added during the reads, so that they do not become suspects one by one.
    for (const observed of this.#collections()) await this.#catchUp(observed);
    for (const observed of this.#collections()) {
      await verifyNumbers(verification, observed, (number, item) => {
        this.#observe(observed, number, item);
      });
      await verifyHoles(verification, observed);
    }
    await verifyRevisions(verification);
    await this.#touchedRecords.verify();
    verification.findings.push(
      ...verification.unindexed.report((collection, number) => (plan) => {
        addMissingPositions(plan, verification, { collection, number });
      }),
    );
    this.#observeScan();
    await this.#lists.verify();
    await this.#uniqueValues.verify();
    await this.#references.verify();
    await this.#leadCounts.verify();
    await this.#optOuts.verify();
    await this.#pipelineDays.verify(() =>
      this.#lists.ownedBy({ collection: pipelines.name, number: pipelineNumber }),
    );
    await verifyForeignItems(verification, this.#lists.partitions(), this.#foreignItems);
    await verifyGrants(verification);
    await verifyPhoneNumbers(verification);
    await verification.confirmFindings([checkQueueCounter(verification)]);
    await verification.planRepairs();
    if (verification.unsettled > 0) {
      const where = keyName(headKey(verification.organization));
      const sentence = `Checks without a result, since others wrote each time that the items were read: ${verification.unsettled}. Verify again.`;
      verification.addFinding('unsettled', where, sentence);
    }
    return this.#report();
  }

  #report(): Report {
    const { organization, head, findings } = this.#verification;
    const counts = Object.fromEntries(
      [...this.#collections()].map(({ name }) => [name, lengthOf(stateIn(head, name))]),
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

  /** Events come last: the records that events name are read before them. */
  #collections(): ObservedCollection[] {
    return [...this.#verification.observedCollections.values()].sort(
      (one, other) => Number(one.name === events.name) - Number(other.name === events.name),
    );
  }

  /**
   * Reads the partitions that are no collection: of the head, of the queue counter, of the counts per day,
   * and of unique values.
   */
  async #readOthers(): Promise<void> {
    const { organization } = this.#verification;
    for (const key of [headKey(organization), queueKey(organization)]) {
      await this.#read(key.pk, (sk) => {
        if (sk !== key.sk) this.#addUnknown(key.pk, sk);
      });
    }
    const days = dayCountPartition(organization);
    await this.#read(days, (sk) => {
      if (!isDayCount(sk)) this.#addUnknown(days, sk);
    });
    await this.#read(uniquePartition(organization), (_, item) => {
      this.#uniqueValues.observeValue(item);
    });
  }

  async #readCollection(observed: ObservedCollection): Promise<void> {
    const { organization } = this.#verification;
    const holeItems = new Map<string, Item>();
    await this.#read(holesPartition(listPartition(organization, { collection: observed.name })), (sk, item) =>
      holeItems.set(sk, item),
    );
    observeHoleItems(this.#verification, observed, holeItems);
    // Set before the records are read: `#catchUp` reads again what is added during the read.
    observed.readTo = stateIn(this.#verification.head, observed.name).last;
    const { pk } = recordKey(organization, observed.name, 1);
    await this.#read(pk, (sk, item) => {
      const number = /^\d{12}$/.test(sk) ? Number(sk) : 0;
      if (number === 0) this.#addUnknown(pk, sk);
      else this.#observe(observed, number, item);
    });
  }

  /** Reads the records that were added after the partition was read. */
  async #catchUp(observed: ObservedCollection): Promise<void> {
    const verification = this.#verification;
    const item = await verification.reads.get(headKey(verification.organization));
    verification.head = parseHead(item);
    const { last } = stateIn(verification.head, observed.name);
    if (last <= observed.readTo) return;
    const { pk, sk: after } = recordKey(verification.organization, observed.name, observed.readTo);
    observed.readTo = last;
    await this.#read(
      pk,
      (sk, item) => {
        if (/^\d{12}$/.test(sk)) this.#observe(observed, Number(sk), item);
      },
      after,
    );
  }

  async #read(pk: string, observe: (sk: string, item: Item) => void, after?: string): Promise<void> {
    for await (const page of this.#verification.reads.partition(pk, after)) {
      if (after === undefined) this.#items += page.length;
      for (const item of page) {
        const sk = String(item['sk']);
        if (!this.#verification.collectionNamed(parseRecordKey({ pk, sk })?.collection ?? ''))
          this.#verifyOwn({ pk, sk }, item);
        observe(sk, item);
      }
    }
  }

  /**
   * Reports an item that stands in an index of another organization. Called for items that are no records,
   * and for malformed ones.
   */
  #verifyOwn(key: Key, item: Item): void {
    const where = keyName(key);
    if (isOwnItem(this.#verification.organization, item) || this.#foreignNames.has(where)) return;
    this.#foreignNames.add(where);
    const sentence = `${where} says that it is in an index of another organization.`;
    this.#verification.addFinding('list-unknown', where, sentence);
  }

  /** Observes a record, once. */
  #observe(observed: ObservedCollection, number: number, item: Item): void {
    if ((observed.flags.get(number) & numberFlag.record) !== 0) return;
    setFlag(observed, number, numberFlag.record);
    const verification = this.#verification;
    const { collection } = observed;
    const where = verification.nameOf(observed.name, number);
    if (hasRevision(item)) observed.revisions.set(number, item.revision);
    const parsed = collection && v.safeParse(collection.schema, item);
    if (!hasRevision(item) || !statesIn(item) || parsed?.success === false) {
      const names = [
        ...(hasRevision(item) ? [] : ['revision']),
        ...(statesIn(item) ? [] : ['lists']),
        ...(parsed?.issues ? [malformedFields(parsed.issues)] : []),
      ];
      const check = {
        revision: checkMissingRevision(verification, observed.name, number),
        lists: this.#lists.checkListStates(observed.name, number),
      }[names.join()];
      verification.addFinding(
        'record-malformed',
        where,
        `${where} cannot be read: ${names.join(', ')}.`,
        check,
      );
    }
    if (!collection || !parsed?.success) {
      observed.unreadable.push(number);
      if (collection) this.#verifyOwn(recordKey(verification.organization, observed.name, number), item);
      this.#lists.observe(observed, number, item);
      return;
    }
    const observedRecord = { collection, number, item, record: parsed.output };
    this.#lists.observe(observed, number, item, verifyPositions(verification, observedRecord));
    if (!hasRightId(collection, verification.organization, number, item))
      verification.addFinding('record-id', where, `${where} carries another id than its key.`);
    if (collection.name === organizations.name && typeof item['name'] === 'string') this.#name = item['name'];
    this.#touchedRecords.observe(observedRecord);
    this.#uniqueValues.observe(observedRecord);
    this.#references.observe(observedRecord);
    this.#leadCounts.observe(observedRecord);
    this.#optOuts.observe(observedRecord);
    this.#pipelineDays.observe(observedRecord);
  }

  /**
   * Observes the lists whose hole items a scan showed. Items of no possible list are findings without a
   * check: they stay.
   */
  #observeScan(): void {
    const { organization, head, observedCollections } = this.#verification;
    for (const [partition, sk] of this.#holeItems) {
      const former = parseFormerKey({ pk: holesPartition(partition), sk });
      if (former && this.#observeFormer(former)) continue;
      const key = parseListPartition(organization, partition);
      const isCollection = key && key.index === undefined;
      const isKnown = isCollection
        ? observedCollections.has(key.collection)
        : key && (this.#lists.observeHoleItems(partition, sk) || isOfNewer(this.#verification, head, key));
      if (!isKnown) this.#addUnknown(holesPartition(partition), sk);
    }
  }

  /** Observes the former item of a removed record; false if no such record is possible. */
  #observeFormer({ collection, number }: Owner): boolean {
    const verification = this.#verification;
    if (verification.collectionNamed(collection)) this.#lists.observeFormer({ collection, number });
    // A newer version of the code may have stored it.
    return verification.observedCollections.has(collection);
  }

  #addUnknown(pk: string, sk: string): void {
    this.#verification.findings.push(unknownItem({ pk, sk }));
  }
}
