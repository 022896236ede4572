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
import { withRecheck, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { storedIndexList } from './index-list.ts';
import { planStateIn } from './hole-items.ts';
import { rebuildHoles } from './rebuild-holes.ts';
import { hasRevision } from './revisions.ts';
import type { RecordObserver, ObservedRecord, Verification } from './verification.ts';
import type { ObservedList } from './observed-lists.ts';
import type { Check } from './snapshots.ts';

/**
 * Verifies that the organization has its pipeline, and that the pipeline's days are what the events say.
 * Events never change, and the pipeline's revision is the last event that it counts. So no snapshot is
 * needed: it is enough that all events up to that one were read.
 *
 * Each write of a counted event also writes the pipeline. So a snapshot of the pipeline at an earlier
 * revision than such an event shows that a write left the pipeline out.
 */
export class PipelineDays {
  readonly #verification: Verification;
  readonly #days = new CountedDays();
  #pipeline: { record: PipelineRecord; revision: number } | undefined;
  readonly #observers = new Map<string, RecordObserver>([
    [
      events.name,
      {
        observe: (event: LedgerEvent, { number }: ObservedRecord) => {
          this.#days.observe(number, event);
        },
      },
    ],
    [
      pipelines.name,
      {
        observe: (record: PipelineRecord, { number, item }: ObservedRecord) => {
          if (number === pipelineNumber)
            this.#pipeline = { record, revision: hasRevision(item) ? item.revision : 0 };
        },
      },
    ],
  ]);

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  /** Observes a record, if it is an event or the pipeline. */
  observe(observed: ObservedRecord): void {
    this.#observers.get(observed.collection.name)?.observe(observed.record, observed);
  }

  /** `ownedLists` gives the lists that the pipeline owns. */
  async verify(ownedLists: () => Iterable<ObservedList>): Promise<void> {
    const verification = this.#verification;
    const { checkedTo } = verification.observedCollection(events.name);
    this.#findUnreadable(checkedTo);
    if (!this.#pipeline) {
      if (checkedTo > 0)
        await this.#verifyMissing(
          this.#days.upTo(checkedTo, usualTimeZoneOf(verification.head.country)),
          ownedLists,
        );
      return;
    }
    const { record, revision } = this.#pipeline;
    // A revision that does not exist has a finding of its own.
    if (revision > checkedTo || revision < 1) return;
    if (!isTimeZone(record.timeZone)) {
      const where = verification.nameOf(pipelines.name, pipelineNumber);
      const sentence = `${where} has a time zone that is not known here, so its days are not verified.`;
      verification.addFinding('pipeline-days', where, sentence);
      return;
    }
    const behind = await this.#recordBehind(revision, checkedTo);
    const [stated, last] = behind ? [behind, checkedTo] : [record, revision];
    const expected = this.#days.upTo(last, record.timeZone);
    const isProved = this.#areReadTo(last);
    if (behind !== undefined || (isProved && !isSamePipeline(stated, expected)))
      verification.findings.push(this.#wrongDays(stated, isProved ? expected : undefined));
  }

  #findUnreadable(last: number): void {
    const verification = this.#verification;
    const pipeline = verification.nameOf(pipelines.name, pipelineNumber);
    for (const number of this.#days.unreadableTo(last)) {
      const where = verification.nameOf(events.name, number);
      const sentence = `${where} cannot be read as a change of the pipeline, so the days of ${pipeline} are not verified.`;
      verification.addFinding('record-malformed', where, sentence);
    }
  }

  /** True if all events up to this one were read. An event that was not has a finding of its own. */
  #areReadTo(last: number): boolean {
    const { lost, unreadable } = this.#verification.observedCollection(events.name);
    return (
      this.#days.unreadableTo(last).length === 0 && [...lost, ...unreadable].every((number) => number > last)
    );
  }

  /** Pipeline in a snapshot, if it lacks an event that it should count. */
  async #recordBehind(revision: number, last: number): Promise<PipelineRecord | undefined> {
    const verification = this.#verification;
    const counted = this.#days.lastWrittenTo(last);
    if (counted <= revision) return undefined;
    const check: Check<PipelineRecord | undefined> = (snapshot) => {
      const item = snapshot.get(recordKey(verification.organization, pipelines.name, pipelineNumber));
      const record = v.safeParse(pipelines.schema, item);
      return item && hasRevision(item) && item.revision < counted && record.success
        ? record.output
        : undefined;
    };
    const [behind] = await verification.runChecks([check]);
    return behind;
  }

  /** `expected` is undefined if not all events can be read. */
  #wrongDays(stated: PipelineRecord, expected: PipelineRecord | undefined): Finding {
    const { organization } = this.#verification;
    const where = this.#verification.nameOf(pipelines.name, pipelineNumber);
    const key = recordKey(organization, pipelines.name, pipelineNumber);
    const repair: Repair | undefined = expected && {
      sentence: 'counts the days again',
      addTo: (plan) => {
        const item = plan.get(key);
        const now = v.safeParse(pipelines.schema, item);
        if (item && now.success)
          plan.put(key, { ...item, ...correctedPipeline(now.output, stated, expected) });
      },
    };
    return {
      kind: 'pipeline-days',
      where,
      sentence: `The days of ${where} are not what the events say.`,
      ...(repair && { repair }),
    };
  }

  /**
   * Checks for a missing or malformed pipeline. If that has a finding already, the finding gets the repair.
   */
  async #verifyMissing(expected: PipelineRecord, ownedLists: () => Iterable<ObservedList>): Promise<void> {
    const verification = this.#verification;
    const where = verification.nameOf(pipelines.name, pipelineNumber);
    const earlier = verification.findings.find(
      (found) => found.where === where && ['record-missing', 'record-malformed'].includes(found.kind),
    );
    const check: Check<Finding | undefined> = (snapshot) => {
      const head = verification.headIn(snapshot);
      const item = snapshot.get(recordKey(verification.organization, pipelines.name, pipelineNumber));
      if (!head || v.is(pipelines.schema, item)) return undefined;
      const sentence = `${where} is not there: leads are in no list of their status, and nothing is counted by day.`;
      return { kind: 'pipeline-missing', where, sentence, repair: this.#rebuild(expected, ownedLists) };
    };
    const [found] = await verification.runChecks([check]);
    if (!found) return;
    const finding = withRecheck(found, check);
    if (earlier && finding.repair) earlier.repair = finding.repair;
    else verification.findings.push(finding);
  }

  /** Makes the pipeline from the events, and its lists from their members. */
  #rebuild(expected: PipelineRecord, ownedLists: () => Iterable<ObservedList>): Repair {
    const verification = this.#verification;
    const { organization } = verification;
    return {
      sentence: 'makes it, by the events and by the leads',
      addTo: (plan) => {
        const head = verification.headIn(plan);
        const state = head && stateIn(head, pipelines.name);
        if (state?.last === 0) planStateIn(plan, headKey(organization), pipelines.name, withNext(state));
        const key = recordKey(organization, pipelines.name, pipelineNumber);
        const item = plan.get(key);
        plan.put(key, { ...item, ...expected });
        for (const list of item ? [] : ownedLists())
          rebuildHoles(plan, storedIndexList(verification, list), { last: list.topRank, isStateLost: true });
      },
    };
  }
}
