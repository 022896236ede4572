import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  headKey,
  listName,
  parseListPartition,
  recordKey,
  stateKey,
  type Key,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import { emptyList, formatState, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { hasOwnState, isDeclared } from './declared-lists.ts';
import { keyName } from './finding.ts';
import { planStateIn, readState, statesIn, type StoredList } from './hole-items.ts';
import { numberFlag, type Verification } from './verification.ts';
import type { Snapshot } from './snapshots.ts';

export interface IndexList {
  readonly partition: string;
  readonly key: ListKey;
}

/**
 * State of a list in a snapshot. Once the list's owner is removed, the owner's former item has the state
 * while the list has members. `without owner`: the owner is removed, and there is no former item. Then the
 * list has ended, or it is a list of events, whose states no former item keeps.
 */
export type StateLookup = ListState | 'without owner' | 'unknown' | 'unreadable';

/** Undefined if the code has no such list. */
export function indexListAt(verification: Verification, partition: string): IndexList | undefined {
  const key = parseListPartition(verification.organization, partition);
  return key && isDeclared(verification, key) ? { partition, key } : undefined;
}

export function lookUpState(
  verification: Verification,
  { key, partition }: IndexList,
  snapshot: Snapshot,
): StateLookup {
  const head = verification.headIn(snapshot);
  if (hasOwnState(verification, key)) {
    const item = snapshot.get(stateKey(partition));
    return item ? (readState(item['state']) ?? 'unreadable') : emptyList;
  }
  if (!key.owner) return head ? stateIn(head, listName(key)) : 'unreadable';
  const { collection, number } = key.owner;
  const stateHolder = snapshot.get(stateHolderKey(verification, key, snapshot));
  if (!head) return 'unreadable';
  if (!stateHolder) return number > stateIn(head, collection).last ? 'unknown' : 'without owner';
  const states = statesIn(stateHolder);
  return states ? (readState(states[listName(key)]) ?? emptyList) : 'unreadable';
}

/** Key of the item that has the list's state: the head, the owner, or the former item of a removed owner. */
function stateHolderKey(verification: Verification, { collection, owner }: ListKey, snapshot: Snapshot): Key {
  const { organization } = verification;
  if (!owner) return headKey(organization);
  const key = recordKey(organization, owner.collection, owner.number);
  const item = snapshot.get(key);
  const head = verification.headIn(snapshot);
  // Until the head is read, the owner is not read either, and need not be removed.
  const canBeRemoved = head !== undefined && owner.number <= stateIn(head, owner.collection).last;
  return item || !canBeRemoved || collection === events.name
    ? key
    : formerKey(organization, owner.collection, owner.number);
}

/** Name of the item that has the states of an owner's lists. */
function stateHolderName(
  verification: Verification,
  { collection, number }: NonNullable<ListKey['owner']>,
): string {
  const isRemoved = verification.observedCollection(collection).flags.get(number) === numberFlag.hole;
  return isRemoved
    ? keyName(formerKey(verification.organization, collection, number))
    : verification.nameOf(collection, number);
}

export function storedIndexList(verification: Verification, list: IndexList): StoredList {
  const { partition, key } = list;
  const { organization } = verification;
  const { owner } = key;
  const isOwn = hasOwnState(verification, key);
  const holderName = owner ? stateHolderName(verification, owner) : keyName(headKey(organization));
  return {
    partition,
    name: verification.listNameOf(partition),
    isCollection: false,
    stateHolder: isOwn ? keyName(stateKey(partition)) : holderName,
    stateIn: (snapshot) => {
      const found = lookUpState(verification, list, snapshot);
      return typeof found === 'object' ? found : undefined;
    },
    planState: (plan, state) => {
      if (isOwn) plan.put(stateKey(partition), { state: formatState(state) });
      else planStateIn(plan, stateHolderKey(verification, key, plan), listName(key), state);
    },
  };
}
