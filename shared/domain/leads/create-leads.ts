import { itemFailureOf } from '../../contract/batch.ts';
import { sentences } from '../../contract/errors.ts';
import { readOnlyFields } from '../../contract/fields.ts';
import type { LeadBatchResult } from '../../contract/lead-batch.ts';
import { Lead, NewLead } from '../../contract/leads.ts';
import { parseBody } from '../../contract/parse.ts';
import { andMore, Failure, invalid, unavailable } from '../../core/failure.ts';
import { RequestTaken, type Ledger } from '../../ledger/index.ts';
import { addLeads, type LeadOutcome, type WaitingLead } from './add-leads.ts';
import type { ImportedLead } from './imported-lead.ts';
import { leads, toLead } from './lead-record.ts';
import { pipelineRead } from './pipeline-record.ts';

/**
 * Number of times that a value may be taken between the read and the write, before the leads of that
 * transaction fail.
 */
const maxLateConflicts = 5;

/**
 * Creates leads in their order, as many per transaction as fit. A failed item does not fail the others. Each item has a
 * result; the message of a failure says whether anything was stored. `items` follow `schema`; read-only fields of a
 * lead are ignored. `report` gets the error behind each INTERNAL_ERROR. If the batch came before with its
 * `Idempotency-Key`, leaves out the leads that it created then: see `readCreated`.
 */
export async function createLeads(
  ledger: Ledger,
  items: readonly unknown[],
  report: (error: unknown) => void,
  schema: typeof NewLead | typeof ImportedLead = NewLead,
): Promise<LeadBatchResult[]> {
  const kept = new Set(ledger.keptRecords(leads).map(({ item }) => item));
  const batch = new LeadBatch(ledger, report);
  const readOnly = readOnlyFields(Lead, schema);
  for (const [index, item] of items.entries())
    if (!kept.has(index)) batch.add(index, () => parseItem(schema, item, readOnly));
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
 * One batch. The first transaction claims emails and phone numbers without reading whether they are free, because most
 * are. If a value was taken, that transaction is built again. From then on each transaction reads first, and leaves out
 * the leads with taken values.
 */
class LeadBatch {
  readonly #ledger: Ledger;
  readonly #report: (error: unknown) => void;
  readonly #results: LeadBatchResult[] = [];
  /** Leads without a result, in their order. */
  #waiting: WaitingLead[] = [];
  /** Lead ids by the unique values that the batch has stored. */
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

  /** Stores the leads that were added. Returns the results in the order of the batch. */
  async store(): Promise<LeadBatchResult[]> {
    while (this.#waiting.length > 0) await this.#storeSome();
    return this.#results.toSorted((one, other) => one.index - other.index);
  }

  /** Runs one transaction, and settles its leads. */
  async #storeSome(): Promise<void> {
    /** Outcomes of the last attempt. Earlier attempts were built on an older head and not stored. */
    let built: readonly LeadOutcome[] = [];
    try {
      await this.#ledger.write({ change: { pipeline: pipelineRead } }, async (write) => {
        const options = { holders: this.#holders, asksFirst: this.#asksFirst };
        built = await addLeads(write, this.#waiting, options);
      });
    } catch (error) {
      this.#onError(error, built);
      return;
    }
    for (const one of built) this.#settle(one);
    this.#drop(built);
  }

  #onError(error: unknown, built: readonly LeadOutcome[]): void {
    // The same request, sent twice, has stored a part of the batch in another run.
    if (error instanceof RequestTaken) throw error;
    const isTaken = error instanceof Failure && error.kind === 'conflict';
    if (isTaken && (!this.#asksFirst || this.#lateConflicts++ < maxLateConflicts)) {
      this.#asksFirst = true;
      return;
    }
    const cause = isTaken ? unavailable(error) : error;
    // The failure concerns all leads, because none could be built.
    if (built.length === 0) for (const { index } of this.#waiting.splice(0)) this.#fail(index, cause);
    // A lead that repeats a value of a lead that was not stored is tried again.
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
    // Names as many problems as a single create does in its details, because a result of a batch has no details.
    const all = details.map((problem) => `${problem.field} ${problem.message}`.trimStart());
    this.#results.push({
      index,
      status: 'error',
      code,
      message: code === 'VALIDATION_ERROR' ? all.join('; ').replaceAll('?;', '?') + andMore(more) : message,
      ...(typeof existingId === 'string' && { existingId }),
    });
  }
}
