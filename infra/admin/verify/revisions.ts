import { events } from '../../../shared/ledger/internal/collection.ts';
import { withRevision } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { keyName, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import type { Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

/**
 * Verifies that each record's revision is the number of the last event of a write. All items of one write
 * have the same revision: the head's version after the write. So of the events of a write, the last one has
 * its own number as revision, and the earlier ones have that number too.
 */
export async function verifyRevisions(verification: Verification): Promise<void> {
  await verifyOrder(verification);
  const names = Object.keys(verification.head.revisions ?? {});
  await verification.confirmFindings(names.map((name) => checkRevisionInHead(verification, name)));
  const { revisions } = verification.observedCollection(events.name);
  for (const { name, revisions: all } of verification.observedCollections.values()) {
    if (name === events.name) continue;
    const suspects = all[Symbol.iterator]().filter(([, revision]) => revisions.get(revision) !== revision);
    await verification.inBatches(suspects, `the revisions of ${name}`, (batch) =>
      verification.confirmFindings(batch.map(([number]) => checkRevision(verification, name, number))),
    );
  }
}

/** True if the item has a well-formed revision. */
export const hasRevision = (item: Item): item is Item & { revision: number } => {
  const { revision } = item;
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 1;
};

/** Checks that the record still lacks a revision. */
export function checkMissingRevision(
  verification: Verification,
  name: string,
  number: number,
): Check<Repair | undefined> {
  return (snapshot) => {
    const item = snapshot.get(recordKey(verification.organization, name, number));
    return item && !hasRevision(item) ? renewRevision(verification, name, number, item) : undefined;
  };
}

/**
 * Stores the record as it is: the write of the repair gives it a revision. Undefined for an event, which
 * keeps its own.
 */
export function renewRevision(
  verification: Verification,
  name: string,
  number: number,
  item: Item,
): Repair | undefined {
  if (name === events.name) return undefined;
  return {
    sentence: 'gives it the revision of this repair',
    addTo: (plan) => {
      plan.put(recordKey(verification.organization, name, number), item);
    },
  };
}

function checkRevision(verification: Verification, name: string, number: number): Check<Finding | undefined> {
  const key = recordKey(verification.organization, name, number);
  return checkRevisionAt(verification, key, verification.nameOf(name, number), (item) =>
    renewRevision(verification, name, number, item),
  );
}

/** Checks that an item's revision is the number of the last event of a write. `repairOf` gives the repair. */
export function checkRevisionAt(
  verification: Verification,
  key: Key,
  where: string,
  repairOf: (item: Item) => Repair | undefined,
): Check<Finding | undefined> {
  return (snapshot) => {
    const head = verification.headIn(snapshot);
    const item = snapshot.get(key);
    const revision = item?.['revision'];
    if (!head || !item || typeof revision !== 'number') return undefined;
    const repair = repairOf(item);
    if (revision > head.version) {
      const sentence = `${where} was changed by event ${revision}, but the head is at version ${head.version}.`;
      return { kind: 'revision-ahead', where, sentence, ...(repair && { repair }) };
    }
    const event = snapshot.get(recordKey(verification.organization, events.name, revision));
    // A missing event has a finding of its own.
    if (!event || event['revision'] === revision) return undefined;
    const sentence = `${where} has revision ${revision}, but event ${revision} is not the last of a write.`;
    return { kind: 'revision-without-event', where, sentence, ...(repair && { repair }) };
  };
}

/**
 * Checks the head's copy of a record's revision. The head has copies of records that many writes change, each
 * number 1 of its collection.
 */
function checkRevisionInHead(verification: Verification, name: string): Check<Finding | undefined> {
  const { organization } = verification;
  const where = keyName(headKey(organization));
  return (snapshot) => {
    const head = verification.headIn(snapshot);
    const item = snapshot.get(recordKey(organization, name, 1));
    const copied = head?.revisions?.[name];
    // A missing record, or one without a revision, has a finding of its own.
    if (copied === undefined || !item || !hasRevision(item) || item.revision === copied) return undefined;
    const { revision } = item;
    const sentence = `${where} has revision ${copied} of ${verification.nameOf(name, 1)}, which has revision ${revision}.`;
    const repair: Repair = {
      sentence: `sets the head's copy to revision ${revision}`,
      addTo: (plan) => {
        const now = verification.headIn(plan);
        if (now) plan.put(headKey(organization), withRevision(now, name, revision));
      },
    };
    return { kind: 'revision-in-head', where, sentence, repair };
  };
}

/**
 * Verifies that the events of one write are consecutive, and that the last one has its own number as
 * revision.
 */
async function verifyOrder(verification: Verification): Promise<void> {
  const { revisions } = verification.observedCollection(events.name);
  const suspects = function* () {
    for (let number = 1; number <= verification.head.version; number++) {
      const revision = revisions.get(number);
      const next = revisions.get(number + 1);
      const isLast = revision === number;
      if (revision !== 0 && !isLast && (revision < number || next !== revision)) yield number;
    }
  };
  await verification.inBatches(suspects(), 'the order of the events', (batch) =>
    verification.confirmFindings(batch.map((number) => checkEvent(verification, number))),
  );
}

function checkEvent(verification: Verification, number: number): Check<Finding | undefined> {
  const { organization } = verification;
  const where = verification.nameOf(events.name, number);
  const revisionIn = (item: Record<string, unknown> | undefined) => item?.['revision'];
  return (snapshot) => {
    const event = snapshot.get(recordKey(organization, events.name, number));
    const next = snapshot.get(recordKey(organization, events.name, number + 1));
    const revision = revisionIn(event);
    if (typeof revision !== 'number' || revision === number) return undefined;
    // A missing next event has a finding of its own. Beyond the head's version there must be no event.
    const isAhead = next === undefined && revision > verification.head.version;
    const isExpected = revision > number && (next === undefined || revisionIn(next) === revision) && !isAhead;
    if (isExpected) return undefined;
    const sentence = `${where} has revision ${revision}, which is not that of the last event of its write.`;
    return { kind: 'event-order', where, sentence };
  };
}
