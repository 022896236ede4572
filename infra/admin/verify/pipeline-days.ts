import { isDeepStrictEqual } from 'node:util';
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
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, stateName } from '../../../shared/ledger/internal/keys.ts';
import { withNext } from '../../../shared/ledger/internal/list-state.ts';
import { itemRepair, type Repair } from './finding.ts';
import { headIn, isOf, type Judgement, type ReadRecord, Rule } from './judgement.ts';
import { planStateIn, type ListRepairs } from './list-repairs.ts';

const quarterHour = 900_000;

/** Judges that the organization has its pipeline, and that the pipeline's days are what the events say. */
export class PipelineDays extends Rule {
  readonly #listRepairs: ListRepairs;
  /**
   * Columns that the events count, by the time zone in force, then by quarter-hour: in every zone, a day begins with a
   * quarter-hour. The zone before the first change is undefined.
   */
  readonly #counted = new Map<string | undefined, Map<number, number[]>>();
  #firstZone: string | undefined;
  #zone: string | undefined;
  /** Last event that the pipeline must have counted. */
  #lastCounted = 0;
  #areAllReadable = true;

  constructor(judgement: Judgement, listRepairs: ListRepairs) {
    super(judgement);
    this.#listRepairs = listRepairs;
  }

  observe(read: ReadRecord): void {
    const { number } = read;
    if (!isOf(read, events) || number > this.judgement.head.version || this.#count(read)) return;
    this.#areAllReadable = false;
    const where = this.judgement.nameOf(events.name, number);
    const sentence = `${where} cannot be read as a change of the pipeline, so the days of ${this.#name} are not verified.`;
    this.judgement.add('record-malformed', where, sentence);
  }

  finish(): void {
    const where = this.#name;
    const stated = this.judgement.read(pipelines, pipelineNumber)?.record;
    if (!stated) {
      this.#addMissing();
      return;
    }
    const revision = this.judgement.numbersOf(pipelines.name).revisions.get(pipelineNumber);
    // A revision that does not exist has its own finding.
    if (revision > this.judgement.head.version || revision < 1) return;
    if (!isTimeZone(stated.timeZone)) {
      const sentence = `${where} has a time zone that is not known here, so its days are not verified.`;
      this.judgement.add('pipeline-days', where, sentence);
      return;
    }
    const areAllKnown = this.#areAllReadable && this.judgement.isWhole(events.name);
    const expected = this.#expected(stated.timeZone);
    // Rows may be padded.
    const days = formatDays(parseDays(stated.days)).trimEnd();
    const isWrong = areAllKnown && !isDeepStrictEqual({ ...stated, id: pipelineNumber, days }, expected);
    if (!isWrong && this.#lastCounted <= revision) return;
    const key = this.judgement.keyOf(pipelines.name, pipelineNumber);
    const repair = itemRepair('counts the days again', key, (before) => ({ ...before, ...expected }));
    this.judgement.add('pipeline-days', where, `The days of ${where} are not what the events say.`, {
      repair: areAllKnown ? repair : undefined,
    });
  }

  get #name(): string {
    return this.judgement.nameOf(pipelines.name, pipelineNumber);
  }

  /** Counts an event; false if it cannot be read. */
  #count({ number, record: { event, values, createdAt } }: ReadRecord<typeof events>): boolean {
    if (event === 'TIME_ZONE_CHANGED') {
      // A former time zone that is missing or unknown was taken for UTC.
      if (!values || !isTimeZone(values.to)) return false;
      this.#firstZone ??= values.from;
      [this.#zone, this.#lastCounted] = [values.to, number];
      return true;
    }
    const isMove = event === 'LEAD_STATUS_CHANGED';
    const isFounding = event === 'ORGANIZATION_CREATED';
    if (!isMove && !isFounding && event !== 'LEAD_CREATED') return true;
    const quarter = Math.floor(Date.parse(createdAt) / quarterHour);
    const column = isMove ? 1 + leadStatuses.findIndex((status) => status === values?.to) : 0;
    if (Number.isNaN(quarter) || (isMove && column === 0)) return false;
    const quarters = this.#counted.get(this.#zone) ?? new Map<number, number[]>();
    const columns = quarters.get(quarter) ?? [];
    this.#counted.set(this.#zone, quarters.set(quarter, columns));
    // The days begin with the founding, which is not counted.
    if (isFounding) return true;
    columns.push(column);
    this.#lastCounted = number;
    return true;
  }

  /** Pipeline as the events say. `stated` is the time zone of the pipeline's record: the events may not tell it. */
  #expected(stated: string): PipelineRecord {
    const rows = new Map<string, number[]>();
    for (const [zone = this.#firstZone ?? stated, quarters] of this.#counted) {
      for (const [quarter, columns] of quarters) {
        const date = dateIn(zone, quarter * quarterHour);
        const row = rows.get(date) ?? [...emptyDay];
        rows.set(date, row);
        for (const column of columns) row[column] = (row[column] ?? 0) + 1;
      }
    }
    const newest = [...rows.keys()].sort().at(-1) ?? dateIn(stated, 0);
    const days = Array.from({ length: maxDays }, (_, at) => rows.get(dateBefore(newest, at)) ?? emptyDay);
    const timeZone = this.#zone ?? stated;
    return { id: pipelineNumber, timeZone, newest, days: formatDays(days).trimEnd() };
  }

  /** Makes a missing or malformed pipeline anew, with its lists. If it has a finding already, that gets the repair. */
  #addMissing(): void {
    const { organization, head } = this.judgement;
    const where = this.#name;
    const key = this.judgement.keyOf(pipelines.name, pipelineNumber);
    const expected = this.#expected(usualTimeZoneOf(head.country));
    const repair: Repair = {
      sentence: 'makes it, by the events and by the leads',
      addTo: (plan) => {
        const state = stateIn(headIn(plan, organization), { collection: pipelines.name });
        if (state.last === 0)
          planStateIn(
            plan,
            headKey(organization),
            stateName({ collection: pipelines.name }),
            withNext(state),
          );
        const item = plan.get(key);
        plan.put(key, { ...item, ...expected });
        if (!item) this.#listRepairs.planStates(plan, { collection: pipelines.name, number: pipelineNumber });
      },
    };
    const earlier = this.judgement.findings.find(
      (found) => found.where === where && ['record-missing', 'record-malformed'].includes(found.kind),
    );
    if (earlier) earlier.repair = repair;
    else {
      const sentence = `${where} is not there: leads are in no list of their status, and nothing is counted by day.`;
      this.judgement.add('pipeline-missing', where, sentence, { repair });
    }
  }
}
