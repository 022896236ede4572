import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import {
  dayCountPartition,
  headKey,
  holesPartition,
  isDayCount,
  parseListPartition,
  queueKey,
  recordsPartition,
  uniquePartition,
} from '../../../shared/ledger/internal/keys.ts';
import { itemRepair, keyName, type Finding } from './finding.ts';
import { Grants } from './grants.ts';
import { Judgement, type JudgeOptions, type Rule } from './judgement.ts';
import { LeadCounts } from './lead-counts.ts';
import { Lists } from './lists.ts';
import { judgeNumbers } from './numbers.ts';
import { OptOuts } from './opt-outs.ts';
import type { OrganizationItems } from './organization-items.ts';
import { PipelineDays } from './pipeline-days.ts';
import { judgeOwn, Records } from './records.ts';
import { References } from './references.ts';
import { Revisions } from './revisions.ts';
import type { IndexedItem } from './table-reads.ts';
import { UniqueValues } from './unique-values.ts';

/**
 * Judges an organization from its items, as of one version. Pure: it reads nothing else, and writes nothing. `foreign` are
 * items of other organizations that stand in this one's partitions of indexes.
 * @throws OtherForm, NoHead or ValiError if the head cannot be read
 */
export function judge(
  organization: OrganizationCode,
  items: OrganizationItems,
  { foreign = [], ...options }: JudgeOptions & { foreign?: readonly IndexedItem[] },
): Judgement {
  const judgement = new Judgement(organization, items, options);
  for (const { name } of options.collections) judgement.numbersOf(name);
  // The head may name collections of a newer version of the code. Of those, the numbers alone are judged.
  for (const name of Object.keys(judgement.head.lists)) if (!name.includes('#')) judgement.numbersOf(name);
  const lists = new Lists(judgement);
  const revisions = new Revisions(judgement);
  const grants = new Grants(judgement);
  judgeOthers(judgement);
  const rules: readonly Rule[] = [
    new UniqueValues(judgement),
    new References(judgement),
    new LeadCounts(judgement),
    new OptOuts(judgement),
    new PipelineDays(judgement, lists),
    grants,
  ];
  observeRecords(judgement, new Records(judgement, lists, rules), revisions);
  for (const numbers of judgement.numbers.values()) judgeNumbers(judgement, numbers);
  revisions.finish();
  lists.finish();
  for (const rule of rules) rule.finish();
  judgeForeign(judgement, foreign);
  judgeQueue(judgement);
  if (judgement.findings.some(isOfHead)) for (const finding of judgement.findings) deferRepair(finding);
  return judgement;
}

/**
 * True if a finding must be repaired by hand before any write. A repair is stored as the next event. If the head trails the
 * events and an event between them is lost, the repair would take the number of the lost event, which could then never be
 * put back.
 */
const isOfHead = ({ kind, repair }: Finding): boolean =>
  kind === 'head-malformed' || (kind === 'event-beyond' && repair === undefined);

/** Takes the repair from a finding: it has to wait until the head is repaired. */
function deferRepair(finding: Finding): void {
  if (!finding.repair) return;
  finding.repair = undefined;
  finding.isDeferred = true;
}

function observeRecords(judgement: Judgement, records: Records, revisions: Revisions): void {
  for (const numbers of [...judgement.numbers.values()]) {
    const pk = recordsPartition(judgement.organization, numbers.name);
    for (const item of judgement.items.partition(pk)) {
      const sk = String(item['sk']);
      if (!/^\d{12}$/.test(sk) || Number(sk) === 0) {
        judgement.addUnknown({ pk, sk });
        judgeOwn(judgement, { pk, sk }, item);
        continue;
      }
      if (numbers.name === events.name) revisions.observeEvent(Number(sk), item);
      records.observe(numbers, Number(sk), item);
    }
  }
}

/** Judges the partitions that are no collection: of the head, the queue, the counts per day, and unique values. */
function judgeOthers(judgement: Judgement): void {
  const { organization, items } = judgement;
  const [head, queue, days] = [
    headKey(organization),
    queueKey(organization),
    dayCountPartition(organization),
  ];
  const unique = uniquePartition(organization);
  const holesEnd = holesPartition('');
  const isCollection = (pk: string) =>
    [...judgement.numbers.keys()].some((name) => recordsPartition(organization, name) === pk);
  for (const pk of items.partitions()) {
    if (isCollection(pk) || !pk.startsWith(head.pk)) continue;
    const isKnown = (sk: string) =>
      (pk === head.pk && sk === head.sk) ||
      (pk === queue.pk && sk === queue.sk) ||
      (pk === days && isDayCount(sk)) ||
      pk === unique ||
      pk.endsWith(holesEnd);
    for (const item of items.partition(pk)) {
      const key = { pk, sk: String(item['sk']) };
      judgeOwn(judgement, key, item);
      if (!isKnown(key.sk)) judgement.addUnknown(key);
    }
  }
}

/** Judges the items of others in the organization's indexes: an index takes any item that names its partition. */
function judgeForeign(judgement: Judgement, foreign: readonly IndexedItem[]): void {
  for (const { key, index, partition } of foreign) {
    const where = keyName(key);
    const list = parseListPartition(judgement.organization, partition);
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
  const key = queueKey(judgement.organization);
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
