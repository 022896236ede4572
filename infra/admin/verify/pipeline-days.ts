import * as v from 'valibot';
import { isTimeZone, usualTimeZoneOf } from '../../../shared/core/time-zones.ts';
import {
  pipelineNumber,
  pipelines,
  type PipelineRecord,
} from '../../../shared/domain/leads/pipeline-record.ts';
import { events, type LedgerEvent } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { withNext } from '../../../shared/ledger/internal/list-state.ts';
import { CountedDays, correctedPipeline, isSamePipeline } from './counted-days.ts';
import { judgedAgain, type Finding, type Mend } from './finding.ts';
import { notedIndexList } from './index-list.ts';
import { keepIn } from './notes.ts';
import { rebuildNotes } from './rebuild-notes.ts';
import { hasRevision } from './revisions.ts';
import type { Noting, Observed, Scene } from './scene.ts';
import type { NamedList } from './seen-lists.ts';
import type { Judge } from './snapshots.ts';

/**
 * Proves that an organization has its pipeline, and that its days are what the events say. Events stay as they are, and the
 * pipeline's revision says up to which one it counts. So it needs no read of one moment, but that all events up to that one
 * were read.
 *
 * Each write that tells of what is counted also writes the pipeline. So where one moment shows it at a revision before such an
 * event, a version of the code told the event that knew no pipeline.
 */
export class PipelineDays {
  readonly #scene: Scene;
  readonly #days = new CountedDays();
  #seen: { record: PipelineRecord; revision: number } | undefined;
  readonly #noting = new Map<string, Noting>([
    [
      events.name,
      {
        note: (event: LedgerEvent, { number }: Observed) => {
          this.#days.observe(number, event);
        },
      },
    ],
    [
      pipelines.name,
      {
        note: (record: PipelineRecord, { number, state }: Observed) => {
          if (number === pipelineNumber) this.#seen = { record, revision: state.revisions.get(number) };
        },
      },
    ],
  ]);

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Takes note of a record, if it is an event or the pipeline. */
  observe(observed: Observed): void {
    this.#noting.get(observed.state.name)?.note(observed.record, observed);
  }

  /** `owned` are the lists that the pipeline owns. */
  async settle(owned: () => Iterable<NamedList>): Promise<void> {
    const scene = this.#scene;
    const { settledTo } = scene.stateOf(events.name);
    this.#findUnreadable(settledTo);
    if (!this.#seen) {
      if (settledTo > 0)
        await this.#settleMissing(this.#days.upTo(settledTo, usualTimeZoneOf(scene.head.country)), owned);
      return;
    }
    const { record, revision } = this.#seen;
    // A revision that there is not is a finding of its own.
    if (revision > settledTo || revision < 1) return;
    if (!isTimeZone(record.timeZone)) {
      const where = scene.nameOf(pipelines.name, pipelineNumber);
      const sentence = `${where} has a time zone that is not known here, so its days are not proved.`;
      scene.find('pipeline-days', where, sentence);
      return;
    }
    const behind = await this.#recordBehind(revision, settledTo);
    const [said, last] = behind ? [behind, settledTo] : [record, revision];
    const right = this.#days.upTo(last, record.timeZone);
    const isProved = this.#areReadTo(last);
    if (behind !== undefined || (isProved && !isSamePipeline(said, right)))
      scene.findings.push(this.#wrong(said, isProved ? right : undefined));
  }

  #findUnreadable(last: number): void {
    const scene = this.#scene;
    const pipeline = scene.nameOf(pipelines.name, pipelineNumber);
    for (const number of this.#days.unreadableTo(last)) {
      const where = scene.nameOf(events.name, number);
      const sentence = `It cannot be told what ${where} says, so the days of ${pipeline} are not proved.`;
      scene.find('record-malformed', where, sentence);
    }
  }

  /** Whether all events up to this one are there and can be read; which is not, is a finding of its own. */
  #areReadTo(last: number): boolean {
    const { lost, unreadable } = this.#scene.stateOf(events.name);
    return (
      this.#days.unreadableTo(last).length === 0 && [...lost, ...unreadable].every((number) => number > last)
    );
  }

  /** The pipeline as one moment shows it, if it lacks an event that it should count; undefined where it lacks none. */
  async #recordBehind(revision: number, last: number): Promise<PipelineRecord | undefined> {
    const scene = this.#scene;
    const counted = this.#days.lastWrittenTo(last);
    if (counted <= revision) return undefined;
    const judge: Judge<PipelineRecord | undefined> = (look) => {
      const item = look(recordKey(scene.organization, pipelines.name, pipelineNumber));
      const record = v.safeParse(pipelines.schema, item);
      return item && hasRevision(item) && item.revision < counted && record.success
        ? record.output
        : undefined;
    };
    const [behind] = await scene.settle([judge]);
    return behind;
  }

  /** `right` is undefined where not all events can be read. */
  #wrong(said: PipelineRecord, right: PipelineRecord | undefined): Finding {
    const { organization } = this.#scene;
    const where = this.#scene.nameOf(pipelines.name, pipelineNumber);
    const key = recordKey(organization, pipelines.name, pipelineNumber);
    const mend: Mend | undefined = right && {
      sentence: 'counts the days again',
      apply: (draft) => {
        const item = draft.look(key);
        const now = v.safeParse(pipelines.schema, item);
        if (item && now.success) draft.put(key, { ...item, ...correctedPipeline(now.output, said, right) });
      },
    };
    return {
      kind: 'pipeline-days',
      where,
      sentence: `The days of ${where} are not what the events say.`,
      ...(mend && { mend }),
    };
  }

  /** An organization of before there were pipelines has none; and one can be lost, or unreadable, which was found already. */
  async #settleMissing(right: PipelineRecord, owned: () => Iterable<NamedList>): Promise<void> {
    const scene = this.#scene;
    const where = scene.nameOf(pipelines.name, pipelineNumber);
    const known = scene.findings.find(
      (found) => found.where === where && ['record-missing', 'record-malformed'].includes(found.kind),
    );
    const judge: Judge<Finding | undefined> = (look) => {
      const head = scene.headIn(look);
      const item = look(recordKey(scene.organization, pipelines.name, pipelineNumber));
      if (!head || v.is(pipelines.schema, item)) return undefined;
      const sentence = `${where} is not there: leads are in no list of their status, and nothing is counted by day.`;
      return { kind: 'pipeline-missing', where, sentence, mend: this.#made(right, owned) };
    };
    const [found] = await scene.settle([judge]);
    if (!found) return;
    const finding = judgedAgain(found, judge);
    if (known && finding.mend) known.mend = finding.mend;
    else scene.findings.push(finding);
  }

  /** Makes it by the events, with the lists that it owns by their members. */
  #made(right: PipelineRecord, owned: () => Iterable<NamedList>): Mend {
    const scene = this.#scene;
    const { organization } = scene;
    return {
      sentence: 'makes it, by the events and by the leads',
      apply: (draft) => {
        const head = scene.headIn(draft.look);
        const state = head && stateIn(head, pipelines.name);
        if (state?.last === 0) keepIn(draft, headKey(organization), pipelines.name, withNext(state));
        const key = recordKey(organization, pipelines.name, pipelineNumber);
        const item = draft.look(key);
        draft.put(key, { ...item, ...right });
        for (const list of item ? [] : owned())
          rebuildNotes(draft, notedIndexList(scene, list), { last: list.topRank, isStateLost: true });
      },
    };
  }
}
