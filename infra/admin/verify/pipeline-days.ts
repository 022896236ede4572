import type { EventName } from '../../../shared/contract/events.ts';
import { leadStatuses } from '../../../shared/contract/leads.ts';
import { dateIn, isTimeZone, usualTimeZoneOf } from '../../../shared/core/time-zones.ts';
import {
  dateBefore,
  emptyDay,
  formatDays,
  maxDays,
  parseDays,
  pipelineNumber,
  pipelines,
  type PipelineRecord,
} from '../../../shared/domain/leads/pipeline-record.ts';
import { events, type LedgerEvent } from '../../../shared/ledger/internal/collection.ts';
import { headKey } from '../../../shared/ledger/internal/keys.ts';
import { withNext } from '../../../shared/ledger/internal/list-state.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import type { Repair } from './finding.ts';
import { headIn, isOf, type Judgement, type ReadRecord, type Rule } from './judgement.ts';
import { planStateIn } from './list-holes.ts';
import type { Lists } from './lists.ts';
import type { RepairPlan } from './organization-items.ts';

const quarterHour = 900_000;
/** More than the 14 hours by which a day in some time zone begins before the day in UTC. */
const margin = 2 * 86_400_000;
/** Column of the founding, which gives the first instant and is not counted. */
const founding = -1;
const columnOf = new Map<string, number>([
  ['ORGANIZATION_CREATED', founding],
  ['LEAD_CREATED', 0],
] satisfies [EventName, number][]);

/** Counted event: instant in milliseconds, and column of the day's row. */
type Counted = readonly [at: number, column: number];

/** Events that were counted in one time zone; the first zone is not known before a change of zone. */
interface Period {
  zone: string | undefined;
  counted: Counted[];
}

/** Judges that the organization has its pipeline, and that the pipeline's days are what the events say. */
export class PipelineDays implements Rule {
  readonly #judgement: Judgement;
  readonly #lists: Lists;
  readonly #periods: [Period, ...Period[]] = [{ zone: undefined, counted: [] }];
  /** Last event that the pipeline must have counted. */
  #lastCounted = 0;
  #areAllReadable = true;

  constructor(judgement: Judgement, lists: Lists) {
    this.#judgement = judgement;
    this.#lists = lists;
  }

  observe(read: ReadRecord): void {
    const { number } = read;
    if (!isOf(read, events) || number > this.#judgement.head.version || this.#count(number, read.record))
      return;
    this.#areAllReadable = false;
    const where = this.#judgement.nameOf(events.name, number);
    const sentence = `${where} cannot be read as a change of the pipeline, so the days of ${this.#name} are not verified.`;
    this.#judgement.add('record-malformed', where, sentence);
  }

  finish(): void {
    const judgement = this.#judgement;
    const { lost, unreadable } = judgement.numbersOf(events.name);
    const areAllKnown = this.#areAllReadable && lost.length + unreadable.length === 0;
    const stated = judgement.read(pipelines, pipelineNumber)?.record;
    const revision = judgement.numbersOf(pipelines.name).revisions.get(pipelineNumber);
    const where = this.#name;
    if (!stated) {
      this.#judgeMissing();
      return;
    }
    // A revision that does not exist has a finding of its own.
    if (revision > judgement.head.version || revision < 1) return;
    if (!isTimeZone(stated.timeZone)) {
      const sentence = `${where} has a time zone that is not known here, so its days are not verified.`;
      judgement.add('pipeline-days', where, sentence);
      return;
    }
    const expected = this.#expected(stated.timeZone);
    const isWrong = areAllKnown && !isSamePipeline(stated, expected);
    if (!isWrong && this.#lastCounted <= revision) return;
    const key = judgement.keyOf(pipelines.name, pipelineNumber);
    const addTo = (plan: RepairPlan) => {
      plan.put(key, { ...plan.get(key), ...expected });
    };
    judgement.add('pipeline-days', where, `The days of ${where} are not what the events say.`, {
      repair: areAllKnown ? { sentence: 'counts the days again', addTo } : undefined,
    });
  }

  get #name(): string {
    return this.#judgement.nameOf(pipelines.name, pipelineNumber);
  }

  /** False if the event cannot be read. */
  #count(number: number, { event, values, createdAt }: LedgerEvent): boolean {
    const [first] = this.#periods;
    if (event === 'TIME_ZONE_CHANGED') {
      // A former time zone that is missing or unknown was taken for UTC.
      if (!values || !isTimeZone(values.to)) return false;
      first.zone ??= values.from;
      this.#periods.push({ zone: values.to, counted: [] });
      this.#lastCounted = number;
      return true;
    }
    const isMove = event === 'LEAD_STATUS_CHANGED';
    const status = isMove ? leadStatuses.findIndex((one) => one === values?.to) : -1;
    const column = isMove ? status + 1 : columnOf.get(event);
    if (column === undefined) return true;
    const at = Date.parse(createdAt);
    if ((isMove && status === -1) || Number.isNaN(at)) return false;
    (this.#periods.at(-1) ?? first).counted.push([at, column]);
    if (column !== founding) this.#lastCounted = number;
    return true;
  }

  /** Pipeline as the events say. `zone` is the time zone of the pipeline's record: the events may not tell it. */
  #expected(zone: string): PipelineRecord {
    const zoneOf = (period: Period) => period.zone ?? zone;
    let latest = 0;
    for (const { counted } of this.#periods) for (const [at] of counted) latest = Math.max(latest, at);
    const counts = new Map<string, number[]>();
    const dates = new Map<string, string>();
    for (const period of this.#periods) {
      for (const [at, column] of period.counted) {
        if (at < latest - maxDays * 86_400_000 - margin) continue;
        const name = `${zoneOf(period)} ${Math.floor(at / quarterHour)}`;
        let date = dates.get(name);
        if (date === undefined) dates.set(name, (date = dateIn(zoneOf(period), at)));
        const row = counts.get(date) ?? [...emptyDay];
        counts.set(date, row);
        if (column !== founding) row[column] = (row[column] ?? 0) + 1;
      }
    }
    const newest = [...counts.keys()].sort().at(-1) ?? dateIn(zone, latest);
    const rows = Array.from({ length: maxDays }, (_, at) => counts.get(dateBefore(newest, at)) ?? emptyDay);
    const end = rows.findLastIndex((row) => row.some((count) => count > 0));
    const timeZone = zoneOf(this.#periods.at(-1) ?? this.#periods[0]);
    return { id: pipelineNumber, timeZone, newest, days: formatDays(rows.slice(0, end + 1)) };
  }

  /** A missing or malformed pipeline: if that has a finding already, the finding gets the repair. */
  #judgeMissing(): void {
    const judgement = this.#judgement;
    const where = this.#name;
    const repair = this.#rebuild(this.#expected(usualTimeZoneOf(judgement.head.country)));
    const earlier = judgement.findings.find(
      (found) => found.where === where && ['record-missing', 'record-malformed'].includes(found.kind),
    );
    if (earlier) earlier.repair = repair;
    else {
      const sentence = `${where} is not there: leads are in no list of their status, and nothing is counted by day.`;
      judgement.add('pipeline-missing', where, sentence, { repair });
    }
  }

  /** Makes the pipeline from the events, and its lists from their members. */
  #rebuild(expected: PipelineRecord): Repair {
    const judgement = this.#judgement;
    const { organization } = judgement;
    return {
      sentence: 'makes it, by the events and by the leads',
      addTo: (plan) => {
        const state = stateIn(headIn(plan, organization), pipelines.name);
        if (state.last === 0) planStateIn(plan, headKey(organization), pipelines.name, withNext(state));
        const key = judgement.keyOf(pipelines.name, pipelineNumber);
        const item = plan.get(key);
        plan.put(key, { ...item, ...expected });
        if (!item) this.#lists.planStates(plan, { collection: pipelines.name, number: pipelineNumber });
      },
    };
  }
}

/** True if both say the same, however their rows are padded. */
function isSamePipeline(one: PipelineRecord, other: PipelineRecord): boolean {
  if (one.timeZone !== other.timeZone || one.newest !== other.newest) return false;
  const [rows, others] = [parseDays(one.days), parseDays(other.days)];
  return Array.from({ length: Math.max(rows.length, others.length) }, (_, at) => at).every((at) =>
    (rows[at] ?? emptyDay).every((count, column) => count === (others[at] ?? emptyDay)[column]),
  );
}
