import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, listPartition, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, withLeft, withNext } from '../../../shared/ledger/internal/list-state.ts';
import { withRecheck, keyName, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { canRebuildHolesOf, planDeletedNumbers, type FoundNumber } from './deleted-numbers.ts';
import { holesIn, isHoleIn, planStateIn, type StoredList, type HoleItems } from './hole-items.ts';
import { suspectChecks, malformedHoleItems } from './hole-checks.ts';
import { rebuildHoles } from './rebuild-holes.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

/** Observes the holes of a collection. */
export function observeHoleItems(
  verification: Verification,
  observed: ObservedCollection,
  holeItems: HoleItems,
): void {
  verification.findings.push(
    ...malformedHoleItems(storedCollectionList(verification, observed), holeItems, undefined),
  );
  for (const number of holesIn(holeItems)) setFlag(observed, number, numberFlag.hole);
  observed.holeItems = holeItems;
}

export function setFlag({ flags }: ObservedCollection, number: number, flag: number): void {
  flags.set(number, flags.get(number) | flag);
}

/**
 * Verifies that each number up to the last is either a record or a hole, and that there is none beyond. Calls
 * `observe` for records that the queries did not show.
 */
export async function verifyNumbers(
  verification: Verification,
  observed: ObservedCollection,
  observe: (number: number, item: Item) => void,
): Promise<void> {
  const { last } = stateIn(verification.head, observed.name);
  const found: FoundNumber[] = [];
  await verification.inBatches(
    suspects(observed, last),
    `the numbers of ${observed.name}`,
    async (numbers) => {
      const checks = numbers.map((number) => checkNumber(verification, observed, number));
      const results = await verification.runChecks(checks);
      for (const [at, check] of checks.entries()) {
        const [number, result] = [numbers[at], results[at]];
        if (number === undefined || result === undefined) continue;
        const finding = result.finding && withRecheck(result.finding, (snapshot) => check(snapshot).finding);
        if (finding) verification.findings.push(finding);
        if (result.item) observe(number, result.item);
        if (result.isHole) setFlag(observed, number, numberFlag.hole);
        if (result.item && result.isHole) observed.both.push(number);
        if (!result.item && !result.isHole) {
          setFlag(observed, number, numberFlag.lost);
          observed.lost.push(number);
        }
        if (finding && !finding.repair) found.push({ number, finding });
      }
    },
  );
  observed.checkedTo = last;
  if (observed.name !== events.name)
    await planDeletedNumbers(verification, storedCollectionList(verification, observed), observed, found);
}

/** Numbers that the queries did not show as either a record or a hole. */
function* suspects(observed: ObservedCollection, last: number): Generator<number> {
  for (let number = 1; number <= last; number++) {
    const flags = observed.flags.get(number);
    if (flags !== numberFlag.record && flags !== numberFlag.hole) yield number;
  }
  for (const [number] of observed.flags) if (number > last) yield number;
}

function checkNumber(
  verification: Verification,
  observed: ObservedCollection,
  number: number,
): Check<{ finding?: Finding; item?: Item | undefined; isHole: boolean }> {
  const { organization } = verification;
  const { name } = observed;
  return (snapshot) => {
    const head = verification.headIn(snapshot);
    const item = snapshot.get(recordKey(organization, name, number));
    const isHole = isHoleIn(snapshot, listPartition(organization, { collection: name }), number) ?? false;
    if (!head) return { isHole };
    const { last } = stateIn(head, name);
    const finding = findingAt(verification, observed, number, { last, isRecord: item !== undefined, isHole });
    return { item, isHole, ...(finding && { finding }) };
  };
}

function findingAt(
  verification: Verification,
  observed: ObservedCollection,
  number: number,
  { last, isRecord, isHole }: { last: number; isRecord: boolean; isHole: boolean },
): Finding | undefined {
  const { name } = observed;
  const where = verification.nameOf(name, number);
  const isEvent = name === events.name;
  if (number > last) {
    const repair = isEvent
      ? advanceHead(verification, observed, last)
      : raiseLastNumber(verification, observed, number, last);
    if (isRecord)
      return {
        kind: isEvent ? 'event-beyond' : 'record-beyond',
        where,
        sentence: `${where} exists, but the head's last number of ${name} is ${last}.`,
        ...(repair && { repair }),
      };
    const sentence = `${where} is a hole, but the head's last number of ${name} is ${last}.`;
    const recount: Repair = {
      sentence: `removes the hole of ${where}`,
      addTo: (plan) => {
        const list = storedCollectionList(verification, observed);
        const buckets = [bucketPositionOf(number).bucket];
        if (list.canRebuildHoles?.(plan)) rebuildHoles(plan, list, { buckets });
      },
    };
    return isHole ? { kind: 'hole-beyond', where, sentence, repair: repair ?? recount } : undefined;
  }
  if (isRecord && isHole)
    return { kind: 'record-and-hole', where, sentence: `${where} exists, but its number is a hole.` };
  if (isRecord || isHole) return undefined;
  return isEvent
    ? { kind: 'event-missing', where, sentence: `${where} is missing.` }
    : { kind: 'record-missing', where, sentence: `${where} is missing, and its number is no hole.` };
}

/** Raises the head's last number of the collection, if no number is missing before the new last one. */
function raiseLastNumber(
  verification: Verification,
  observed: ObservedCollection,
  number: number,
  last: number,
): Repair | undefined {
  if (isGapIn(observed, last, number)) return undefined;
  return {
    sentence: `raises the last number of ${observed.name} to ${number}`,
    addTo: (plan) => {
      const list = storedCollectionList(verification, observed);
      const before = list.stateIn(plan);
      if (before?.last !== number - 1) return;
      const isHole = isHoleIn(plan, list.partition, number);
      list.planState(plan, isHole ? withLeft(withNext(before), number) : withNext(before));
    },
  };
}

/**
 * Raises the head's version to the newest event, if that is the last of its write and no event is missing
 * before it.
 */
function advanceHead(
  verification: Verification,
  observed: ObservedCollection,
  version: number,
): Repair | undefined {
  const { organization } = verification;
  let top = version;
  while ((observed.flags.get(top + 1) & numberFlag.record) !== 0) top++;
  if (top === version || observed.revisions.get(top) !== top) return undefined;
  return {
    sentence: `raises the head's version to ${top}, the newest event`,
    addTo: (plan) => {
      const key = headKey(organization);
      const head = plan.get(key);
      const event = plan.get(recordKey(organization, events.name, top));
      if (head && event) plan.put(key, { ...head, version: top });
    },
  };
}

/** True if a number between `last` and `before` is neither a record nor a hole. */
function isGapIn({ flags }: ObservedCollection, last: number, before: number): boolean {
  for (let number = last + 1; number < before; number++) if (flags.get(number) === 0) return true;
  return false;
}

/** Verifies that the hole items of a collection fit its state in the head. */
export async function verifyHoles(verification: Verification, observed: ObservedCollection): Promise<void> {
  const { name, holeItems } = observed;
  const checks = suspectChecks(
    storedCollectionList(verification, observed),
    holeItems,
    stateIn(verification.head, name),
  );
  await verification.inBatches(checks, `the deleted numbers of ${name}`, (batch) =>
    verification.confirmFindings(batch),
  );
}

function storedCollectionList(verification: Verification, observed: ObservedCollection): StoredList {
  const { organization } = verification;
  const { name } = observed;
  const list: StoredList = {
    partition: listPartition(organization, { collection: name }),
    name,
    isCollection: true,
    stateHolder: keyName(headKey(organization)),
    stateIn: (snapshot) => {
      const head = verification.headIn(snapshot);
      return head && stateIn(head, name);
    },
    planState: (plan, kept) => {
      planStateIn(plan, headKey(organization), name, kept);
    },
    canRebuildHoles: (snapshot) => canRebuildHolesOf(snapshot, list, observed),
  };
  return list;
}
