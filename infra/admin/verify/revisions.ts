import { events } from '../../../shared/ledger/internal/collection.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import type { Finding } from './finding.ts';
import type { Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/**
 * Proves that each record carries the number of the last event of a write. All items of one write carry the same: the
 * head's version after it. So of the events of a write, the last one carries its own number, and those before carry it
 * too.
 */
export async function settleRevisions(scene: Scene): Promise<void> {
  await settleOrder(scene);
  const { revisions } = scene.stateOf(events.name);
  for (const { name, revisions: all } of scene.states.values()) {
    if (name === events.name) continue;
    const doubtful = all[Symbol.iterator]().filter(([, revision]) => revisions.get(revision) !== revision);
    await scene.inPortions(doubtful, `the revisions of ${name}`, (portion) =>
      scene.settleFindings(portion.map(([number]) => judgeRevision(scene, name, number))),
    );
  }
}

function judgeRevision(scene: Scene, name: string, number: number): Judge<Finding | undefined> {
  const { organization } = scene;
  const where = scene.nameOf(name, number);
  return (look) => {
    const head = scene.headIn(look);
    const revision = look(recordKey(organization, name, number))?.['revision'];
    if (!head || typeof revision !== 'number') return undefined;
    if (revision > head.version) {
      const sentence = `${where} was changed by event ${revision}, but the head is at version ${head.version}.`;
      return { kind: 'revision-ahead', where, sentence };
    }
    const event = look(recordKey(organization, events.name, revision));
    // An event that is missing is a finding of its own.
    if (!event || event['revision'] === revision) return undefined;
    const sentence = `${where} has revision ${revision}, but event ${revision} is not the last of a write.`;
    return { kind: 'revision-without-event', where, sentence };
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
