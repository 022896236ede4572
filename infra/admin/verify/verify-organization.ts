import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { OtherFormat, stateIn } from '../../../shared/ledger/internal/head.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { searchIndexesOf } from '../../../shared/ledger/internal/searchables.ts';
import { collections as allCollections } from '../table/collections.ts';
import { keyName, malformedFields, textOf, type Finding, type Report } from './finding.ts';
import { judge } from './judge.ts';
import type { Judgement } from './judgement.ts';
import { readState } from './stored-list.ts';
import {
  NeverAtRest,
  OrganizationReader,
  RepairedMeanwhile,
  type ReaderOptions,
} from './organization-reader.ts';
import { inParallel, type IndexedItem, type TableAccess } from '../table/table-reads.ts';

/** Default: the collections of the project, and no scan. */
export type VerifyOptions = Partial<ReaderOptions>;

/** Number of judgements until findings must be the same twice. */
const maxJudgements = 20;
/** Number of tries while others repair the organization. */
const maxTries = 10;
/** Number of partitions of indexes that are read at a time. */
const atOnce = 16;
/** Maximum number of items of findings that are read again. */
const maxRead = 5000;

/** Verifies that an organization is whole. Writes nothing. Others may write meanwhile: none of it is reported. */
export class OrganizationVerification {
  /** Replaced if somebody else repairs the organization meanwhile. */
  reader: OrganizationReader;
  readonly #access: TableAccess;
  readonly #organization: OrganizationCode;
  readonly #options: ReaderOptions;
  #foreign: readonly IndexedItem[] = [];

  constructor(
    access: TableAccess,
    organization: OrganizationCode,
    { collections = allCollections, scanned }: VerifyOptions,
  ) {
    this.#access = access;
    this.#organization = organization;
    this.#options = { collections, scanned };
    this.reader = new OrganizationReader(access, organization, this.#options);
  }

  /** Reads the organization and judges it. @throws Failure `unavailable` if DynamoDB does not answer for long */
  async run(): Promise<Report> {
    for (let tries = 1; ; tries++) {
      try {
        const { item, isImport } = await this.reader.readHead();
        const malformed = item && this.#malformedHead();
        if (!item || malformed) return await this.#withoutHead(malformed, isImport);
        await this.reader.readAll();
        this.#foreign = await this.#readForeign();
        return await this.#settle();
      } catch (error) {
        const isRepaired = error instanceof RepairedMeanwhile;
        if (error instanceof NeverAtRest || (isRepaired && tries === maxTries)) {
          const finding = unsettled(this.#organization, 1);
          return this.reader.hasHead ? this.#report([finding]) : this.#withoutHead(finding, false);
        }
        if (!isRepaired) throw error;
        this.reader = new OrganizationReader(this.#access, this.#organization, this.#options);
      }
    }
  }

  /**
   * Judges until the same fault is found twice. Between the two, the items that show the fault are read again. So an
   * item that a query showed as before a transaction causes no finding. Items that others change all the time can show a
   * fault each time, and never the same fault: these findings are unsettled.
   */
  async #settle(): Promise<Report> {
    let before: readonly Finding[] = [];
    for (let count = 1; ; count++) {
      const { findings } = await this.judgeRead();
      const places = new Set(before.map(placeOf));
      const texts = new Set(before.map(textOf));
      const again = findings.filter((finding) => places.has(placeOf(finding)));
      const proved = again.filter((finding) => texts.has(textOf(finding)) && !this.#isChanging(finding));
      const isEnd = findings.length === 0 || (count > 1 && proved.length === again.length);
      if (isEnd) return this.#report(proved);
      if (count > maxJudgements)
        return this.#report([...proved, unsettled(this.#organization, again.length - proved.length)]);
      before = findings;
      await this.reader.readAgain(findings.flatMap(({ keys = [] }) => keys).slice(0, maxRead));
    }
  }

  /** True if others may have changed an item that shows the fault. */
  #isChanging({ keys: evidence = [] }: Finding): boolean {
    // A sentence about hole items has their counts, so it is the same twice only if they stayed.
    return this.reader.isChanging(evidence.filter(({ pk }) => keys.listOfHoles(pk) === undefined));
  }

  /** Judges the items, and reads the further items that the judgement needs. */
  async judgeRead({ limit }: { limit?: number } = {}): Promise<Judgement> {
    for (;;) {
      const judgement = judge(this.#organization, this.reader.items, {
        collections: this.#options.collections,
        now: this.#access.system.now(),
        foreign: this.#foreign,
        ...(limit !== undefined && { limit }),
      });
      if (judgement.wanted.size === 0) return judgement;
      await this.reader.read([...judgement.wanted]);
      await this.reader.catchUp();
    }
  }

  #malformedHead(): Finding | undefined {
    const where = keyName(keys.headKey(this.#organization));
    try {
      if (Object.values(this.reader.head.lists).every(readState)) return undefined;
      return { kind: 'head-malformed', where, sentence: `${where} cannot be read: lists.` };
    } catch (error) {
      if (error instanceof OtherFormat)
        return { kind: 'head-form', where, sentence: `${where}: ${error.message}` };
      if (!v.isValiError(error)) throw error;
      const sentence = `${where} cannot be read: ${malformedFields(error.issues)}.`;
      return { kind: 'head-malformed', where, sentence };
    }
  }

  /** Reports an organization without a readable head. `items` tells if there is such an organization. */
  async #withoutHead(finding: Finding | undefined, isImport: boolean): Promise<Report> {
    const organization = this.#organization;
    let items = finding || isImport ? 1 : 0;
    for (const { name } of items > 0 ? [] : this.#options.collections)
      for await (const page of this.reader.reads.partition(keys.recordsPartition(organization, name)))
        items += page.length;
    const findings = [finding ?? missingHead(organization, isImport)];
    return { organization, name: undefined, version: undefined, counts: {}, items, findings };
  }

  /** Items of others in the search indexes, and in the lists of the organization and of the pipeline. */
  async #readForeign(): Promise<IndexedItem[]> {
    const { reader } = this;
    const organization = this.#organization;
    const { collections, scanned } = this.#options;
    const holders = [
      keys.headKey(organization),
      keys.recordKey(organization, pipelines.name, pipelineNumber),
    ];
    const lists = holders
      .flatMap((key) => [...reader.statesIn(key, reader.items.get(key)).keys()])
      .map((partition) => ({ partition, index: keys.parseListPartition(organization, partition)?.index }));
    const searches = collections.flatMap((collection) =>
      searchIndexesOf(collection).map((index) => {
        return { index, partition: keys.searchPartition(organization, collection.name, index) };
      }),
    );
    const found: IndexedItem[] = [...(scanned?.foreign ?? [])];
    await inParallel(atOnce, scanned ? [] : [...lists, ...searches], async ({ index, partition }) => {
      if (!index) return;
      for await (const page of reader.reads.indexPartition(index, partition))
        for (const key of page.map(keys.keyOfItem))
          if (!keys.isOwnItem(organization, { ...key })) found.push({ index, partition, key });
    });
    // An index lags behind the table, so the item itself is read.
    const items = await inParallel(atOnce, found, ({ key }) => reader.reads.get(key));
    return found.filter(
      ({ index, partition }, at) => items[at]?.[keys.keyNamesOf(index).pkName] === partition,
    );
  }

  #report(findings: Finding[]): Report {
    const { head, items, count, collectionNames } = this.reader;
    const record = items.get(keys.recordKey(this.#organization, organizations.name, 1));
    return {
      organization: this.#organization,
      name: typeof record?.['name'] === 'string' ? record['name'] : undefined,
      version: head.version,
      counts: Object.fromEntries(
        collectionNames.map((name) => [name, lengthOf(stateIn(head, { collection: name }))]),
      ),
      items: count,
      findings,
    };
  }
}

const placeOf = ({ kind, where }: Finding): string => `${kind} ${where}`;

function unsettled(organization: OrganizationCode, count: number): Finding {
  const where = keyName(keys.headKey(organization));
  const sentence = `Faults that are not proved, since others wrote each time that the items were read: ${count}. Verify again.`;
  return { kind: 'unsettled', where, sentence };
}

/** Finding about an organization that has items and no head. */
function missingHead(organization: OrganizationCode, isImport: boolean): Finding {
  const where = keyName(keys.headKey(organization));
  if (isImport)
    return {
      kind: 'import-unfinished',
      where: keyName(keys.importKey(organization)),
      sentence:
        `An import of ${organization} is not finished: go on with "organization import FOLDER --code ${organization}", ` +
        `or remove it with "organization discard-import --code ${organization}".`,
    };
  return {
    kind: 'head-missing',
    where,
    sentence: `${where} is missing: without it the organization can be neither read nor written.`,
  };
}
