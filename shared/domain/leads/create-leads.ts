import { itemFailureOf } from '../../contract/batch.ts';
import { sentences } from '../../contract/errors.ts';
import { readOnlyFields } from '../../contract/fields.ts';
import type { LeadBatchResult } from '../../contract/lead-batch.ts';
import { Lead, NewLead } from '../../contract/leads.ts';
import { parseBody } from '../../contract/parse.ts';
import { andMore, Failure, invalid, unavailable } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { addLeads, type LeadOutcome, type WaitingLead } from './add-leads.ts';
import type { ImportedLead } from './imported-lead.ts';
import { toLead } from './lead-record.ts';
import { PipelineChange, pipelineIn } from './pipeline.ts';

/** How often a value may be taken just as it was asked for, before the leads of that transaction are given up. */
const maxLateConflicts = 5;

/**
 * Creates leads in their order, as many per transaction as fit. Each item has a result, whose message says of one that failed
 * whether anything was stored: an item alone never fails the others. `items` are what `schema` takes; read-only fields of a lead
 * are left out. `report` gets the error behind each INTERNAL_ERROR.
 */
export async function createLeads(
  ledger: Ledger,
  items: readonly unknown[],
  report: (error: unknown) => void,
  schema: typeof NewLead | typeof ImportedLead = NewLead,
): Promise<LeadBatchResult[]> {
  const batch = new LeadBatch(ledger, report);
  const readOnly = readOnlyFields(Lead, schema);
  for (const [index, item] of items.entries()) batch.add(index, () => parseItem(schema, item, readOnly));
  return batch.store();
}

function parseItem(
  schema: typeof NewLead | typeof ImportedLead,
  item: unknown,
  readOnly: readonly string[],
): ImportedLead {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw invalid([{ field: '', message: sentences.itemNotAnObject }]);
  const writable = Object.entries(item).filter(([name]) => !readOnly.includes(name));
  return parseBody(schema, Object.fromEntries(writable));
}

/**
 * One batch. A transaction claims emails and phone numbers without asking whether they are free, which as a rule they are; once one
 * was taken, this transaction is made again and those after it ask first, so that they leave out what is taken.
 */
class LeadBatch {
  readonly #ledger: Ledger;
  readonly #report: (error: unknown) => void;
  readonly #results: LeadBatchResult[] = [];
  /** Those without a result, in their order. */
  #waiting: WaitingLead[] = [];
  /** Who has a value that the batch has stored. */
  readonly #holders = new Map<string, string>();
  #asksFirst = false;
  #lateConflicts = 0;

  constructor(ledger: Ledger, report: (error: unknown) => void) {
    this.#ledger = ledger;
    this.#report = report;
  }

  add(index: number, parse: () => ImportedLead): void {
    try {
      this.#waiting.push({ index, input: parse() });
    } catch (error) {
      this.#fail(index, error);
    }
  }

  /** Stores what was added. */
  async store(): Promise<LeadBatchResult[]> {
    while (this.#waiting.length > 0) await this.#storeSome();
    return this.#results.toSorted((one, other) => one.index - other.index);
  }

  /** One transaction, and what becomes of its leads. */
  async #storeSome(): Promise<void> {
    /** What was built last; what was built on an older head was not stored. */
    let built: readonly LeadOutcome[] = [];
    const pipeline = pipelineIn(this.#ledger);
    try {
      await this.#ledger.write({ change: { pipeline } }, async (write, { pipeline: record }) => {
        const change = new PipelineChange(write, pipeline.ref, record);
        const options = { holders: this.#holders, asksFirst: this.#asksFirst };
        built = await addLeads(write, change, this.#waiting, options);
      });
    } catch (error) {
      this.#onError(error, built);
      return;
    }
    for (const one of built) this.#settle(one);
    this.#drop(built);
  }

  #onError(error: unknown, built: readonly LeadOutcome[]): void {
    const isTaken = error instanceof Failure && error.kind === 'conflict';
    if (isTaken && (!this.#asksFirst || this.#lateConflicts++ < maxLateConflicts)) {
      this.#asksFirst = true;
      return;
    }
    const cause = isTaken ? unavailable(error) : error;
    // Nothing could be built for anyone.
    if (built.length === 0) for (const { index } of this.#waiting.splice(0)) this.#fail(index, cause);
    // What has the value of a lead that was not stored waits for another transaction.
    const settled = built.filter((one) => !('failure' in one && one.repeatsEarlier));
    for (const one of settled)
      if ('failure' in one) this.#settle(one);
      else this.#fail(one.index, cause);
    this.#drop(settled);
  }

  #settle(one: LeadOutcome): void {
    const { index } = one;
    if ('failure' in one) {
      this.#fail(index, one.failure);
      return;
    }
    this.#results.push({ index, status: 'ok', lead: toLead(one.record) });
    for (const value of one.values) this.#holders.set(value, one.record.id);
  }

  #drop(settled: readonly LeadOutcome[]): void {
    const indexes = new Set(settled.map(({ index }) => index));
    this.#waiting = this.#waiting.filter(({ index }) => !indexes.has(index));
  }

  #fail(index: number, error: unknown): void {
    const { code, message } = itemFailureOf(error);
    if (code === 'INTERNAL_ERROR') this.#report(error);
    const { existingId, details = [], more } = error instanceof Failure ? error.extras : {};
    // As much is named as a single create gives details of, since a result has none.
    const all = details.map((problem) => `${problem.field} ${problem.message}`.trimStart());
    this.#results.push({
      index,
      status: 'error',
      code,
      message: code === 'VALIDATION_ERROR' ? all.join('; ') + andMore(more) : message,
      ...(typeof existingId === 'string' && { existingId }),
    });
  }
}
