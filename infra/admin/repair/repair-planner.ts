import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { eventKinds } from '../../../shared/contract/events.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownerIdOf } from '../../../shared/domain/members/members.ts';
import { headVersionUnchanged, recordDoesNotExist } from '../../../shared/ledger/internal/conditions.ts';
import { events, type LedgerEvent, type ShownIn } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, withRevision, type Head } from '../../../shared/ledger/internal/head.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import { formatTouchedRecords, shownRecords } from '../../../shared/ledger/internal/touched-records.ts';
import type { WriteOperation, WriteTarget } from '../../../shared/ledger/internal/table-client.ts';
import { collections } from '../table/collections.ts';
import {
  isRepairable,
  adviceByKind,
  textOf,
  type Finding,
  type RepairableFinding,
} from '../verify/finding.ts';
import { RepairPlan, type Items, type PlannedChange } from '../verify/organization-items.ts';
import { lossesOf, lossSentences } from './report.ts';

/** Limits of one transaction, below DynamoDB's 100 items and 4 MB. */
const maxItems = 100;
const maxBytes = 3_000_000;

const kinds = Object.keys(adviceByKind);

/** Findings to repair next: all of the first kind, unless their `textOf` is in `inVain`. */
export function nextRepairs(findings: readonly Finding[], inVain: ReadonlySet<string>): RepairableFinding[] {
  const left = findings.filter(isRepairable).filter((finding) => !inVain.has(textOf(finding)));
  const first = kinds.find((kind) => left.some((finding) => finding.kind === kind));
  return left.filter(({ kind }) => kind === first);
}

/**
 * Plans the transaction of as many repairs as fit; undefined if there is nothing to write. Like any write, the
 * transaction advances the head, on condition that the head still has the version that was read. The transaction also
 * appends an event, which names what was lost, or perhaps lost, with the damage. The plan read items of that version
 * only, so they are unchanged while the head is unchanged. Each written item also has a condition on the attributes
 * that were read. `now` is an ISO 8601 time.
 */
export function planTransaction(
  { organization, tableName: TableName }: WriteTarget,
  items: Items,
  findings: readonly RepairableFinding[],
  { now, withQueueEstimate = (head) => head }: { now: string; withQueueEstimate?: (head: Head) => Head },
) {
  const { plan, included } = filledPlan(organization, items, findings);
  if (included.size === 0) return undefined;
  const key = keys.headKey(organization);
  const before = plan.before(key);
  // A repair may have planned a later version than the stored version.
  let head = parseHead(plan.get(key));
  const version = head.version + 1;
  head = withQueueEstimate({ ...head, version });
  const repaired = besideHead(organization, plan).map(({ after, ...change }) => ({
    ...change,
    after: after && carriesRevision(change.key) ? { ...after, revision: version } : after,
  }));
  const touched = repaired.flatMap((change) => {
    const ref = keys.parseRecordKey(change.key);
    const isRemoved = change.after === undefined;
    return ref && ref.collection !== events.name ? [{ ...ref, isRemoved }] : [];
  });
  for (const { collection, isRemoved } of touched)
    if (head.revisions?.[collection] !== undefined)
      head = withRevision(head, collection, isRemoved ? undefined : version);
  if (touched.length > 0) head = { ...head, configuration: version };
  const event: LedgerEvent = {
    id: version,
    event: 'ORGANIZATION_REPAIRED',
    data: [eventKinds.ORGANIZATION_REPAIRED.sentence, ...lossSentences(lossesOf([...included]))].join('. '),
    referenceId: `org_${organization}`,
    userId: ownerIdOf(organization),
    createdAt: now,
  };
  const eventKey = keys.recordKey(organization, events.name, version);
  const shown = shownRecords(organization, repaired.flatMap(placeOf), touched);
  const ofWrite = {
    touched: formatTouchedRecords(touched),
    ...(shown.length > 0 && { shown: formatTouchedRecords(shown) }),
  };
  const eventItem = { ...event, ...ofWrite, revision: version, ...eventKey };
  const changes: PlannedChange[] = [
    { key, before, after: { ...head, ...key } },
    { key: eventKey, before: undefined, after: eventItem },
    ...repaired,
  ];
  const operations = changes.map((change, at): WriteOperation => {
    const condition = at === 0 ? headVersionUnchanged(parseHead(before).version) : asSeen(change);
    const { after: Item, key: Key } = change;
    return {
      operation: Item
        ? { Put: { TableName, Item, ...condition } }
        : { Delete: { TableName, Key, ...condition } },
    };
  });
  return { included, version, changes, operations };
}

/** The record that shows a repaired record; none if the schema refuses the repaired record. */
function placeOf({ key, before, after = before }: PlannedChange): ShownIn[] {
  const collection = collections.find(({ name }) => name === keys.parseRecordKey(key)?.collection);
  const record = v.safeParse(collection?.schema ?? v.never(), after);
  const place = record.success ? collection?.shownIn?.(record.output) : undefined;
  return place ? [place] : [];
}

/**
 * Plan of the first repairs that fit into one transaction. Skips repairs that change nothing, and repairs that no
 * transaction can take.
 */
function filledPlan(organization: OrganizationCode, items: Items, findings: readonly RepairableFinding[]) {
  let plan = new RepairPlan(items);
  const included = new Set<RepairableFinding>();
  for (const finding of findings) {
    const larger = new RepairPlan(items, plan);
    finding.repair.addTo(larger);
    const changes = besideHead(organization, larger);
    const isLarge = isTooLarge(changes);
    if (isLarge && included.size > 0) break;
    // An item can stand in an index of another organization until another repair removes it from there.
    const isOwn = changes.every(({ key, after }) => keys.isOwnItem(organization, after ?? { ...key }));
    if (isLarge || !isOwn || !larger.changes.some(isChange)) continue;
    included.add(finding);
    plan = larger;
  }
  return { plan, included };
}

function besideHead(organization: OrganizationCode, plan: RepairPlan): PlannedChange[] {
  const head = keys.nameOfKey(keys.headKey(organization));
  return plan.changes.filter((change) => isChange(change) && keys.nameOfKey(change.key) !== head);
}

function isTooLarge(changes: readonly PlannedChange[]): boolean {
  const bytes = changes.reduce((sum, { after = {} }) => sum + Buffer.byteLength(JSON.stringify(after)), 0);
  // The head and the event come besides.
  return changes.length + 2 > maxItems || bytes > maxBytes;
}

/** True if an item of this key carries the revision of its last write. */
function carriesRevision(key: Key): boolean {
  if (keys.isBookedKey(key)) return true;
  const { collection = events.name } = keys.parseRecordKey(key) ?? keys.parseFormerKey(key) ?? {};
  return collection !== events.name;
}

/**
 * True if the change must be written. Storing an item with a revision always changes the revision. Any other item may be
 * as before, if a later repair undid the change.
 */
const isChange = ({ key, before, after }: PlannedChange): boolean =>
  carriesRevision(key) || !isDeepStrictEqual(before, after);

/**
 * Condition that an item's revision, and every attribute that changes, still have the values that were read.
 */
function asSeen({ before, after }: PlannedChange) {
  if (!before) return recordDoesNotExist;
  // The key is an attribute of each item, so an item that was removed meanwhile never fits.
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => ['pk', 'revision'].includes(name) || !isDeepStrictEqual(before[name], after?.[name]),
  );
  const condition = (name: string, at: number) =>
    name in before ? `#a${at} = :a${at}` : `attribute_not_exists(#a${at})`;
  const values = names.flatMap((name, at) => (name in before ? [[`:a${at}`, before[name]] as const] : []));
  return {
    ConditionExpression: names.map(condition).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#a${at}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values),
  };
}
