import { events } from '../../../shared/ledger/internal/collection.ts';
import { withRevision } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { keyName, type Finding, type Mend } from './finding.ts';
import type { Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/**
 * Proves that each record carries the number of the last event of a write. All items of one write carry the same: the
 * head's version after it. So of the events of a write, the last one carries its own number, and those before carry it
 * too.
 */
export async function settleRevisions(scene: Scene): Promise<void> {
  await settleOrder(scene);
  const names = Object.keys(scene.head.revisions ?? {});
  await scene.settleFindings(names.map((name) => judgeRevisionInHead(scene, name)));
  const { revisions } = scene.stateOf(events.name);
  for (const { name, revisions: all } of scene.states.values()) {
    if (name === events.name) continue;
    const doubtful = all[Symbol.iterator]().filter(([, revision]) => revisions.get(revision) !== revision);
    await scene.inPortions(doubtful, `the revisions of ${name}`, (portion) =>
      scene.settleFindings(portion.map(([number]) => judgeRevision(scene, name, number))),
    );
  }
}

/** Whether a record says which write stored it last. */
export const hasRevision = (item: Item): item is Item & { revision: number } => {
  const { revision } = item;
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 1;
};

/** Judges whether a record still does not say which write stored it last. */
export function judgeUnstamped(scene: Scene, name: string, number: number): Judge<Mend | undefined> {
  return (look) => {
    const item = look(recordKey(scene.organization, name, number));
    return item && !hasRevision(item) ? stamped(scene, name, number, item) : undefined;
  };
}

/** Stores a record as it is: each record that is stored gets the revision of the write that does it. An event keeps its own. */
export function stamped(scene: Scene, name: string, number: number, item: Item): Mend | undefined {
  if (name === events.name) return undefined;
  return {
    sentence: 'gives it the revision of this repair',
    apply: (draft) => {
      draft.put(recordKey(scene.organization, name, number), item);
    },
  };
}

function judgeRevision(scene: Scene, name: string, number: number): Judge<Finding | undefined> {
  const key = recordKey(scene.organization, name, number);
  return judgeRevisionAt(scene, key, scene.nameOf(name, number), (item) =>
    stamped(scene, name, number, item),
  );
}

/** Judges whether the revision of an item is the number of the last event of a write; `mendOf` says how it gets another. */
export function judgeRevisionAt(
  scene: Scene,
  key: Key,
  where: string,
  mendOf: (item: Item) => Mend | undefined,
): Judge<Finding | undefined> {
  return (look) => {
    const head = scene.headIn(look);
    const item = look(key);
    const revision = item?.['revision'];
    if (!head || !item || typeof revision !== 'number') return undefined;
    const mend = mendOf(item);
    if (revision > head.version) {
      const sentence = `${where} was changed by event ${revision}, but the head is at version ${head.version}.`;
      return { kind: 'revision-ahead', where, sentence, ...(mend && { mend }) };
    }
    const event = look(recordKey(scene.organization, events.name, revision));
    // An event that is missing is a finding of its own.
    if (!event || event['revision'] === revision) return undefined;
    const sentence = `${where} has revision ${revision}, but event ${revision} is not the last of a write.`;
    return { kind: 'revision-without-event', where, sentence, ...(mend && { mend }) };
  };
}

/** Judges whether the head has the revision of a record that many writes change, which is number 1 of its collection. */
function judgeRevisionInHead(scene: Scene, name: string): Judge<Finding | undefined> {
  const { organization } = scene;
  const where = keyName(headKey(organization));
  return (look) => {
    const head = scene.headIn(look);
    const item = look(recordKey(organization, name, 1));
    const noted = head?.revisions?.[name];
    // A record that is missing, or has no revision, is a finding of its own.
    if (noted === undefined || !item || !hasRevision(item) || item.revision === noted) return undefined;
    const { revision } = item;
    const sentence = `${where} has revision ${noted} of ${scene.nameOf(name, 1)}, which has revision ${revision}.`;
    const mend: Mend = {
      sentence: `notes revision ${revision}`,
      apply: (draft) => {
        const now = scene.headIn(draft.look);
        if (now) draft.put(headKey(organization), withRevision(now, name, revision));
      },
    };
    return { kind: 'revision-in-head', where, sentence, mend };
  };
}

/** Proves that events of one write follow each other, and that the last of them carries its own number. */
async function settleOrder(scene: Scene): Promise<void> {
  const { revisions } = scene.stateOf(events.name);
  const doubtful = function* () {
    for (let number = 1; number <= scene.head.version; number++) {
      const revision = revisions.get(number);
      const next = revisions.get(number + 1);
      const isLast = revision === number;
      if (revision !== 0 && !isLast && (revision < number || next !== revision)) yield number;
    }
  };
  await scene.inPortions(doubtful(), 'the order of the events', (portion) =>
    scene.settleFindings(portion.map((number) => judgeEvent(scene, number))),
  );
}

function judgeEvent(scene: Scene, number: number): Judge<Finding | undefined> {
  const { organization } = scene;
  const where = scene.nameOf(events.name, number);
  const revisionIn = (item: Record<string, unknown> | undefined) => item?.['revision'];
  return (look) => {
    const event = look(recordKey(organization, events.name, number));
    const next = look(recordKey(organization, events.name, number + 1));
    const revision = revisionIn(event);
    if (typeof revision !== 'number' || revision === number) return undefined;
    // Where the next one is missing, that is a finding of its own; beyond the head's version there must be none.
    const isAhead = next === undefined && revision > scene.head.version;
    const isRight = revision > number && (next === undefined || revisionIn(next) === revision) && !isAhead;
    if (isRight) return undefined;
    const sentence = `${where} has revision ${revision}, which is not that of the last event of its write.`;
    return { kind: 'event-order', where, sentence };
  };
}
