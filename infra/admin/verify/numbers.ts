import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, holesKey, listPartition } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf } from '../../../shared/ledger/internal/list-state.ts';
import type { Repair } from './finding.ts';
import { headIn, maxListed, type Judgement, type Numbers } from './judgement.ts';
import { rebuildHoles } from './list-repairs.ts';
import { StoredList, differenceOf, keysOf, readHoles } from './stored-list.ts';

/**
 * Judges the numbers of a collection. Each number up to the last must be either a record's or a hole, and there must be
 * no number beyond. The collection's state in the head and its hole items must say so too. If the bucket contradicts
 * the events, the events are right: the last event that names a number says whether its record was stored or removed.
 */
export function judgeNumbers(judgement: Judgement, numbers: Numbers): void {
  const { name, holes, revisions, namedBy } = numbers;
  const isEvents = name === events.name;
  const partition = listPartition(judgement.organization, { collection: name });
  const list = new StoredList(judgement, partition, { collection: name });
  const stored = readHoles(judgement.items, list);
  for (const unknown of stored.unknown) judgement.addUnknown(unknown);
  let last = numbers.last;
  while (!isEvents && (revisions.get(last + 1) !== 0 || stored.ranks.has(last + 1))) last++;
  for (const number of stored.ranks) if (number <= last) holes.add(number);
  const right = { last, holes, hasState: true };
  let isDecided = true;
  const asEventsSay = (sentence: string) => rebuildHoles(sentence, list, right, stored);
  const keyAt = (number: number) => [holesKey(list.partition, bucketPositionOf(number).bucket)];
  for (let number = 1; number <= last && numbers.lost.length <= maxListed; number++) {
    const isRecord = revisions.get(number) !== 0;
    if (isRecord !== holes.has(number)) continue;
    const where = judgement.nameOf(name, number);
    const said = namedBy.get(number);
    if (isRecord) {
      const isStored = said > 0 && said === revisions.get(number);
      if (isStored) holes.delete(number);
      isDecided &&= isStored;
      judgement.add('record-and-hole', where, `${where} exists, but its number is a hole.`, {
        keys: keyAt(number),
        repair: isStored ? asEventsSay(`removes the hole of ${where}, as the events say`) : undefined,
      });
    } else {
      if (said < 0) holes.add(number);
      else numbers.lost.push(number);
      if (isEvents) judgement.add('event-missing', where, `${where} is missing.`);
      else
        judgement.add('record-missing', where, `${where} is missing, and its number is no hole.`, {
          keys: keyAt(number),
          repair:
            said < 0 ? asEventsSay(`makes the number of ${where} a hole, as the events say`) : undefined,
        });
    }
  }
  const beyond = [...revisions].map(([number]) => number).filter((number) => number > numbers.last);
  for (const number of beyond.sort((one, other) => one - other)) {
    const where = judgement.nameOf(name, number);
    const raise = asEventsSay(`raises the last number of ${name} to ${last}`);
    const repair = isEvents ? advanceHead(judgement, numbers) : number <= last ? raise : undefined;
    const sentence = `${where} exists, but the head's last number of ${name} is ${numbers.last}.`;
    judgement.add(isEvents ? 'event-beyond' : 'record-beyond', where, sentence, { repair });
  }
  const state = stateIn(judgement.head, { collection: name });
  const sentence = isEvents ? undefined : differenceOf(judgement.items, list, state, right, stored);
  if (sentence === undefined) return;
  // A lost number may be a hole that only the state and the counts still tell of.
  const isKnown = isDecided && numbers.lost.length === 0;
  const repair = isKnown ? asEventsSay('makes its state and its holes anew') : undefined;
  judgement.add('list-wrong', list.name, sentence, { keys: keysOf(list, stored), repair });
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
