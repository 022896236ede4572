import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, holesKey, listPartition } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, withLeft, withNext } from '../../../shared/ledger/internal/list-state.ts';
import type { Repair } from './finding.ts';
import { headIn, maxListed, type Judgement, type Numbers } from './judgement.ts';
import {
  isHoleIn,
  judgeHoleItems,
  planStateIn,
  ranksIn,
  readHoleItems,
  rebuildHoles,
  type HoleCorrections,
  type StoredList,
} from './list-holes.ts';

/**
 * Judges the numbers of a collection: each number up to the last is either a record's or a hole, there is none beyond, and
 * the hole items fit the collection's state in the head. If the bucket contradicts the events, the events are right: the
 * last one that names a number says whether its record was stored or removed.
 */
export function judgeNumbers(judgement: Judgement, numbers: Numbers): void {
  const { name, last, holes, revisions, namedBy } = numbers;
  const added: number[] = [];
  const removed: number[] = [];
  const undecided: number[] = [];
  const list = storedCollection(judgement, numbers, () => numbers.lost.length + undecided.length === 0);
  const stored = readHoleItems(judgement, list);
  for (const number of ranksIn(stored)) holes.add(number);
  const corrections: HoleCorrections = { holes: added, members: removed };
  const asEventsSay = (sentence: string): Repair => ({
    sentence,
    addTo: (plan) => {
      rebuildHoles(plan, list, corrections);
    },
  });
  const isEvents = name === events.name;
  const keyAt = (number: number) => [holesKey(list.partition, bucketPositionOf(number).bucket)];
  for (let number = 1; number <= last && numbers.lost.length <= maxListed; number++) {
    const [isRecord, isHole] = [revisions.get(number) !== 0, holes.has(number)];
    if (isRecord !== isHole) continue;
    const where = judgement.nameOf(name, number);
    const said = namedBy.get(number);
    if (isRecord) {
      const isStored = said > 0 && said === revisions.get(number);
      if (isStored) {
        holes.delete(number);
        removed.push(number);
      } else undecided.push(number);
      judgement.add('record-and-hole', where, `${where} exists, but its number is a hole.`, {
        keys: keyAt(number),
        repair: isStored ? asEventsSay(`removes the hole of ${where}, as the events say`) : undefined,
      });
    } else if (isEvents) {
      numbers.lost.push(number);
      judgement.add('event-missing', where, `${where} is missing.`);
    } else {
      if (said < 0) {
        holes.add(number);
        added.push(number);
      } else numbers.lost.push(number);
      judgement.add('record-missing', where, `${where} is missing, and its number is no hole.`, {
        keys: keyAt(number),
        repair: said < 0 ? asEventsSay(`makes the number of ${where} a hole, as the events say`) : undefined,
      });
    }
  }
  judgeBeyond(judgement, numbers, list);
  if (!isEvents) judgeHoleItems(judgement, list, stateIn(judgement.head, name), stored);
}

/** Judges records and holes beyond the last number. */
function judgeBeyond(judgement: Judgement, numbers: Numbers, list: StoredList): void {
  const { name, last, revisions, holes } = numbers;
  const isEvents = name === events.name;
  const beyond = [...revisions].map(([number]) => number).filter((number) => number > last);
  for (const number of new Set([...beyond, ...holes].sort((one, other) => one - other))) {
    if (number <= last) continue;
    const where = judgement.nameOf(name, number);
    const raise = isEvents ? advanceHead(judgement, numbers) : raiseLastNumber(numbers, number, list);
    const known = `but the head's last number of ${name} is ${last}`;
    if (revisions.get(number) !== 0)
      judgement.add(isEvents ? 'event-beyond' : 'record-beyond', where, `${where} exists, ${known}.`, {
        repair: raise,
      });
    else {
      const { bucket } = bucketPositionOf(number);
      const forget: Repair = {
        sentence: `removes the hole of ${where}`,
        addTo: (plan) => {
          if (list.canRecount) rebuildHoles(plan, list, { buckets: [bucket] });
        },
      };
      judgement.add('hole-beyond', where, `${where} is a hole, ${known}.`, {
        keys: [holesKey(list.partition, bucket)],
        repair: raise ?? forget,
      });
    }
  }
}

/** Raises the head's last number of the collection, if no number is missing before the new last one. */
function raiseLastNumber(
  { name, last, revisions, holes }: Numbers,
  number: number,
  list: StoredList,
): Repair | undefined {
  for (let before = last + 1; before < number; before++)
    if (revisions.get(before) === 0 && !holes.has(before)) return undefined;
  return {
    sentence: `raises the last number of ${name} to ${number}`,
    addTo: (plan) => {
      const before = list.stateIn(plan);
      if (before?.last !== number - 1) return;
      const isHole = isHoleIn(plan, list.partition, number);
      list.planState(plan, isHole ? withLeft(withNext(before), number) : withNext(before));
    },
  };
}

/**
 * Raises the head's version to the newest event, if that is the last of its write and no event is missing before it.
 */
function advanceHead({ organization, head }: Judgement, { revisions }: Numbers): Repair | undefined {
  let top = head.version;
  while (revisions.get(top + 1) !== 0) top++;
  if (top === head.version || revisions.get(top) !== top) return undefined;
  return {
    sentence: `raises the head's version to ${top}, the newest event`,
    addTo: (plan) => {
      plan.put(headKey(organization), { ...headIn(plan, organization), version: top });
    },
  };
}

function storedCollection(
  { organization, headName }: Judgement,
  { name }: Numbers,
  canRecount: () => boolean,
): StoredList {
  const key = headKey(organization);
  return {
    partition: listPartition(organization, { collection: name }),
    name,
    isCollection: true,
    stateHolder: headName,
    stateHolderKey: key,
    stateIn: (items) => stateIn(headIn(items, organization), name),
    planState: (plan, state) => {
      planStateIn(plan, key, name, state);
    },
    get canRecount() {
      return canRecount();
    },
  };
}
