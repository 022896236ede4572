import * as v from 'valibot';
import { isTimeZone } from '../../../shared/core/time-zones.ts';
import { appointments } from '../../../shared/domain/appointments/appointment-record.ts';
import { maxLength } from '../../../shared/domain/calendar/slots.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { messages, threads } from '../../../shared/domain/threads/threads.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { webhooks } from '../../../shared/domain/webhooks/webhooks.ts';
import { addEntries, type DayEntries } from '../../../shared/ledger/internal/booked.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { stateIn, type ListStates } from '../../../shared/ledger/internal/head.ts';
import { stateName } from '../../../shared/ledger/internal/keys.ts';
import { formatState, lengthOf, parseState } from '../../../shared/ledger/internal/list-state.ts';
import { parseTouchedRecords } from '../../../shared/ledger/internal/touched-records.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { AdminError } from '../admin-error.ts';
import { expectedIdOf } from '../table/collections.ts';
import { malformedFields } from '../verify/finding.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';
import { CopiedLists, stateOf } from './copied-lists.ts';
import { notAsExported } from './files.ts';
import { parseStrictly, type Copy, type CopiedRecord } from './read-copy.ts';

/** A copy that passed every check which its own files allow. */
export interface CheckedCopy {
  copy: Copy;
  lists: CopiedLists;
  /** List states of the new head. Every token has left its list, because tokens are not imported. */
  states: ListStates;
  /** Number of records by collection name, events included. */
  counts: Record<string, number>;
  /** Phone numbers of the source organization. */
  numbers: readonly string[];
  /** Entries of what the records book, by day and record number: see `formatEntries`. */
  booked: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

const phone = v.pipe(v.string(), v.regex(/^\+[1-9]\d{3,19}$/));
const phoneOrNone = v.union([v.literal(''), phone]);

/** Days of the pipeline (at most 31), each with the counts of new leads and of leads by status, in base 36. */
const days = /^(?:[\da-z]{0,9}(?:,[\da-z]{0,9}){0,6}(?: |$)){0,31}$/;

/** Minutes of a buffer. Without a limit, a record could book any number of days. */
const buffer = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1440));
const isLengthPossible = (milliseconds: number) => milliseconds > 0 && milliseconds <= maxLength;

/**
 * Rules for values that code relies on beyond the schemas of stored records, by collection. The API checks
 * them before it stores a record; a copy that somebody edited may break them.
 */
const valueRules: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  [
    organizations.name,
    v.object({
      businessPhone: phoneOrNone,
      numbers: v.exactOptional(v.array(v.object({ number: phone }))),
    }),
  ],
  [
    pipelines.name,
    v.object({
      timeZone: v.pipe(v.string(), v.check(isTimeZone)),
      newest: v.pipe(v.string(), v.isoDate()),
      days: v.pipe(v.string(), v.regex(days)),
    }),
  ],
  [leads.name, v.object({ phone: phoneOrNone })],
  [
    appointments.name,
    v.pipe(
      v.object({ start: v.string(), end: v.string(), bufferBefore: buffer, bufferAfter: buffer }),
      v.forward(
        v.check(({ start, end }) => isLengthPossible(Date.parse(end) - Date.parse(start))),
        ['end'],
      ),
    ),
  ],
  [messages.name, v.object({ createdAt: v.pipe(v.string(), v.isoTimestamp()) })],
  [threads.name, v.object({ number: v.exactOptional(phoneOrNone) })],
]);

/** Checks a copy before anything is written. @throws AdminError that names the file and the line */
export const checkCopy = (copy: Copy, collections: readonly Collection[]): CheckedCopy =>
  new CopyCheck(copy, collections).run();

class CopyCheck {
  readonly #copy: Copy;
  readonly #lists: CopiedLists;
  readonly #recordNumbers = new Map<string, SparseNumbers>();
  /** Sort keys of all unique values. */
  readonly #held = new Set<string>();
  #numbers: readonly string[] = [];
  readonly #booked: DayEntries = new Map();

  constructor(copy: Copy, collections: readonly Collection[]) {
    this.#copy = copy;
    this.#lists = new CopiedLists(copy.head, collections, (collection, number) =>
      number > this.#lastOf(collection) ? undefined : this.#recordNumbers.get(collection)?.get(number) === 1,
    );
  }

  run(): CheckedCopy {
    const { head, names } = this.#copy;
    const where = `${this.#copy.headPath}, line 1`;
    const ofTokens = stateName({ collection: tokens.name });
    const { last } = parseState(head.lists[ofTokens]);
    const noToken = formatState(stateOf(new Float64Array(), last));
    const states = { ...head.lists, ...(last > 0 && { [ofTokens]: noToken }) };
    this.#lists.addStates(states, where);
    for (const name of Object.keys(head.revisions ?? {}))
      if (!this.#lists.collections.get(name)?.hasHotRecord)
        throw new AdminError(`${where}, cannot be read: revisions.`);
    const counts = Object.fromEntries(names.map((name) => [name, this.#checkRecords(name)]));
    for (const { name } of [organizations, members])
      if (this.#recordNumbers.get(name)?.get(1) !== 1)
        throw notAsExported(`${this.#copy.pathOf(name)} has no record 1`);
    // All owners of lists are known by now.
    for (const name of names) this.#checkPlaces(name);
    this.#lists.check();
    // Checksums come last, because the checks above can name the line.
    this.#copy.checkSums();
    return {
      copy: this.#copy,
      lists: this.#lists,
      states,
      counts,
      numbers: this.#numbers,
      booked: this.#booked,
    };
  }

  #lastOf(name: string): number {
    return stateIn(this.#copy.head, { collection: name }).last;
  }

  #checkRecords(name: string): number {
    const { version } = this.#copy.head;
    const numbers = new SparseNumbers();
    this.#recordNumbers.set(name, numbers);
    let count = 0;
    let before = 0;
    for (const copied of this.#copy.records(name)) {
      const { number, revision, where } = copied;
      if (number <= before || number > this.#lastOf(name) || revision > version)
        throw notAsExported(`${where}, does not fit the exported ${this.#copy.pathOf(name)}`);
      this.#checkRecord(copied);
      numbers.set(number, 1);
      before = number;
      count++;
    }
    const expected = lengthOf(stateIn(this.#copy.head, { collection: name }));
    if (count === expected) return count;
    throw notAsExported(`${this.#copy.pathOf(name)} has ${count} lines and must have ${expected}`);
  }

  #checkRecord(copied: CopiedRecord): void {
    const { collection, number, record, claimed, lists, more, places = {}, where } = copied;
    const { code } = this.#copy.head;
    // Tokens are exported without their hash, and not imported.
    if (collection.name === tokens.name) {
      parseStrictly(v.omit(tokens.schema, ['hash']), record, where);
      return;
    }
    // Webhooks are exported and imported without their secrets.
    const exported =
      collection.name === webhooks.name ? v.omit(webhooks.schema, ['secrets']) : collection.schema;
    const parsed = parseStrictly(exported, record, where);
    const relied = v.safeParse(valueRules.get(collection.name) ?? v.unknown(), record);
    if (!relied.success) throw new AdminError(`${where}, cannot be read: ${malformedFields(relied.issues)}.`);
    const named = Object.values(more ?? {});
    if (
      named.some((text) => parseTouchedRecords(text) === undefined) ||
      (more && collection.name !== events.name)
    )
      throw new AdminError(`${where}, cannot be read: more.`);
    if (record['id'] !== expectedIdOf(collection, code, number))
      throw notAsExported(`${where}, has another id than its number`);
    const stated = this.#copy.head.revisions?.[collection.name];
    if (stated !== undefined && stated !== copied.revision)
      throw notAsExported(`${where}, has another revision than the head tells`);
    for (const [index, place] of Object.entries(places)) this.#lists.checkIndexKey(copied, index, place);
    if (lists) this.#lists.addStates(lists, where, { collection: collection.name, number });
    for (const { key } of heldValues(code, collection, parsed, { claimed })) {
      if (this.#held.has(key.sk)) throw notAsExported(`${where}, has what another record has`);
      this.#held.add(key.sk);
    }
    addEntries(this.#booked, number, collection.booked?.(parsed));
    if (collection.name === organizations.name)
      this.#numbers = v.parse(organizations.schema, record).numbers.map(({ number }) => number);
  }

  #checkPlaces(name: string): void {
    if (name === tokens.name) return;
    for (const { number, places = {}, where } of this.#copy.records(name)) {
      if (name !== events.name) this.#lists.addMember(name, number, where);
      for (const [partition, rank] of Object.values(places))
        if (typeof rank === 'number') this.#lists.addMember(partition, rank, where);
    }
  }
}
