import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { collectionsIn } from '../../../shared/ledger/internal/head.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import { BookedDays } from './booked-days.ts';
import { itemRepair, keyName, repairHeadFirst, restoreFirst, type Finding, type Repair } from './finding.ts';
import { Grants } from './grants.ts';
import { Judgement, type JudgeOptions, type Outdated, type Rule } from './judgement.ts';
import { Leads } from './leads.ts';
import { Lists } from './lists.ts';
import { Members } from './members.ts';
import { NamesInHead } from './names-in-head.ts';
import { judgeNumbers } from './numbers.ts';
import { RepairPlan, type OrganizationItems } from './organization-items.ts';
import { PipelineDays } from './pipeline-days.ts';
import { judgeOwn, Records } from './records.ts';
import { References } from './references.ts';
import { Revisions } from './revisions.ts';
import type { IndexedItem } from '../table/table-reads.ts';
import { UniqueValues } from './unique-values.ts';

/**
 * Judges an organization from its items, as of one version. Pure: reads nothing else, and writes nothing. `foreign` has
 * items of other organizations that stand in this organization's partitions of indexes.
 * @throws OtherFormat, NoHead or ValiError if the head cannot be read
 */
export function judge(
  organization: OrganizationCode,
  items: OrganizationItems,
  { foreign = [], ...options }: JudgeOptions & { foreign?: readonly IndexedItem[] },
): Judgement {
  const judgement = new Judgement(organization, items, options);
  for (const { name } of options.collections) judgement.numbersOf(name);
  // The head may name collections of a newer version of the code. Only the numbers of such collections are
  // judged.
  for (const name of collectionsIn(judgement.head)) judgement.numbersOf(name);
  const lists = new Lists(judgement);
  const revisions = new Revisions(judgement);
  const rules: readonly Rule[] = [
    new UniqueValues(judgement),
    new References(judgement),
    new Leads(judgement),
    new Members(judgement),
    new PipelineDays(judgement, lists.repairs),
    new BookedDays(judgement),
    new Grants(judgement),
    new NamesInHead(judgement),
  ];
  // 1. Observe each item. This fills `revisions`, `namedBy` and `unreadable` of `Numbers`, and the members of lists.
  judgeItems(judgement, new Records(judgement, lists, rules), revisions);
  // 2. Fill `holes` and `lost` of `Numbers`. All later steps read them, also by `isHole` and `isWhole`.
  for (const numbers of judgement.numbers.values()) judgeNumbers(judgement, numbers);
  // 3. Find the records that have lost a change. `Grants` and step 7 read them.
  const outdated = revisions.finish();
  // 4. Fill `vacant` of the members of lists. Repairs read it while they are planned, first in step 7.
  lists.finish();
  // 5. Finish the rules. `PipelineDays` gives its repair to a finding of step 1 or 2.
  for (const rule of rules) rule.finish(outdated);
  // 6. Judge facts that no other step reads.
  judgeForeign(judgement, foreign);
  judgeQueue(judgement);
  // 7. Delay repairs. This reads all findings.
  const ofHead = judgement.findings.some(isOfHead) ? repairHeadFirst : undefined;
  judgement.delayRepairs((repair) => ofHead ?? adviceOfOutdated(items, outdated, repair));
  return judgement;
}

/**
 * Advice if a repair writes a record that has lost a change; else undefined. The repair would give the record the
 * newest revision, but its old revision is the only proof of the loss.
 */
function adviceOfOutdated(items: OrganizationItems, outdated: Outdated, repair: Repair): string | undefined {
  if (outdated.size === 0) return undefined;
  const plan = new RepairPlan(items);
  repair.addTo(plan);
  const [record] = plan.changes.flatMap(({ key }) => outdated.get(keys.nameOfKey(key)) ?? []);
  return record === undefined ? undefined : restoreFirst(record);
}

/**
 * True if a finding must be repaired by hand before any write. A repair is stored as the next event. Suppose that the
 * head trails the events, and that an event between them is lost. The repair would take the number of the lost event,
 * which could then never be put back.
 */
const isOfHead = ({ kind, repair }: Finding): boolean =>
  kind === 'head-malformed' || (kind === 'event-beyond' && repair === undefined);

/** Judges each item by itself: first the records of collections, which are observed, then the other items. */
function judgeItems(judgement: Judgement, records: Records, revisions: Revisions): void {
  const { organization, items } = judgement;
  const collections = new Map(
    [...judgement.numbers.values()].map((one) => [keys.recordsPartition(organization, one.name), one]),
  );
  for (const pk of new Set([...collections.keys(), ...items.partitions()])) {
    if (!pk.startsWith(keys.headKey(organization).pk)) continue;
    const numbers = collections.get(pk);
    for (const item of items.partition(pk)) {
      const key = keys.keyOfItem(item);
      const number = numbers && keys.parseRecordKey(key)?.number;
      if (numbers && number) {
        if (numbers.name === events.name) revisions.observeEvent(number, item);
        records.observe(numbers, number, item);
        continue;
      }
      if (!isKnownKey(organization, key)) judgement.addUnknown(key);
      judgeOwn(judgement, key, item);
    }
  }
}

/** True if the ledger would write an item with this key, beside the records of collections. */
function isKnownKey(organization: OrganizationCode, key: Key): boolean {
  const { pk, sk } = key;
  // Hole items and former items: `judgeNumbers` and `Lists` judge them.
  if (keys.listOfHoles(pk) !== undefined) return true;
  // Claims of unique values: `UniqueValues` judges them.
  if (pk === keys.uniquePartition(organization)) return true;
  // Bookings of a day: `BookedDays` judges them.
  if (keys.isBookedKey(key)) return true;
  // Texts that are prepared from the configuration.
  if (pk === keys.preparedPartition(organization)) return true;
  // Requests with an idempotency key, and notes of erasures. They expire.
  if (pk === keys.requestPartition(organization) || pk === keys.erasedPartition(organization))
    return keys.isHash(sk);
  // Counts of a day. They expire.
  if (pk === keys.dayCountPartition(organization)) return keys.isDayCount(sk);
  // Cursors, deliveries and answers of webhooks. They follow from no record.
  if (keys.isSentPartition(organization, pk)) return true;
  // The head, and the counter of queue numbers.
  const single = [keys.headKey(organization), keys.queueKey(organization)];
  return single.map(keys.nameOfKey).includes(keys.nameOfKey(key));
}

/**
 * Judges the items of other organizations in the organization's indexes: an index takes any item that names its
 * partition.
 */
function judgeForeign(judgement: Judgement, foreign: readonly IndexedItem[]): void {
  for (const { key, index, partition } of foreign) {
    const where = keyName(key);
    const list = keys.parseListPartition(judgement.organization, partition);
    const at = list?.index ? `${judgement.listNameOf(partition)} (${index})` : `this organization's ${index}`;
    judgement.add(
      'index-foreign',
      where,
      `${where}, an item of another organization, is in ${at}. No read returns it there.`,
    );
  }
}

/** Judges that the queue's counter is not behind the head. Otherwise writers take numbers that were already served. */
function judgeQueue(judgement: Judgement): void {
  const key = keys.queueKey(judgement.organization);
  const taken = judgement.items.get(key)?.['taken'];
  const served = judgement.head.queue?.served ?? 0;
  if (served <= (typeof taken === 'number' ? taken : 0)) return;
  const where = keyName(key);
  const sentence = `${where} has given out fewer numbers than the ${served} that the head has served.`;
  const repair = itemRepair(`raises its last number to ${served}`, key, (item) => ({
    ...item,
    taken: served,
  }));
  judgement.add('queue-counter-behind', where, sentence, { keys: [key], repair });
}
