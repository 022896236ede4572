import { createLeads as storeAll } from '../../../../shared/domain/leads/create-leads.ts';
import { ImportedLead } from '../../../../shared/domain/leads/imported-lead.ts';
import { areAsMade, mustKnow } from '../key-check.ts';
import type { Change } from '../model/change.ts';
import { secondEffect, type Made } from '../model/keyed.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { leadStatuses } from '../model/pipeline.ts';
import { invalid, Refused, refusalsOf, type ErrorResponse } from '../model/refusal.ts';
import { takenIn } from '../model/uniques.ts';
import type { Window } from '../model/window.ts';
import type { CompletedProgress, Plan, Progress, WeightedPlan } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { someEmail, someExternalId, someFirstName, somePhone, storedNumber } from './contacts.ts';
import { addLead, shownLead } from './leads.ts';

/** One lead of a batch. */
interface Item {
  given: Fields;
  /** Lead that the item asks for, without its phone number. */
  lead: Fields;
  phone: string;
  /** Error of the item in any state of the organization; undefined for a valid item. */
  problem: ErrorResponse | undefined;
}

/** Makes one item of a batch invalid, and leaves the others valid. */
const mistake = { email: 'ann' };
const problem = invalid;

/** Identifies the lead of an item: no two items share a last name. */
const lastNameOf = (index: number) => `Row ${index}`;
const indexOf = (lead: Fields) => Number(/^Row (\d+)$/.exec(String(lead['lastName']))?.[1] ?? -1);

/** Random fields of one item. */
function someLead(planner: Planner, index: number, isImported: boolean): Fields {
  const { draw, variety } = planner;
  return {
    firstName: someFirstName(planner),
    lastName: lastNameOf(index),
    ...(draw.happens(0.3) && { suburb: someUniqueWord(planner), status: draw.pick(leadStatuses) }),
    ...(draw.happens(0.3) && { externalId: someExternalId(planner) }),
    ...(isImported && draw.happens(0.5) && { read: draw.happens(0.5) }),
    ...(isImported && draw.happens(0.3) && { importKey: `line ${draw.whole(1, 4 * variety)}` }),
  };
}

/** Random items. Some share an email or a phone number with an earlier item. */
function someItems(planner: Planner, isImported: boolean): Item[] {
  const { draw } = planner;
  const size = draw.weighted([
    [draw.whole(1, 5), 8],
    [draw.whole(20, 60), 1],
    [100, 0.1],
  ]);
  const reached: { email: string; phone: string }[] = [];
  return Array.from({ length: size }, (_, index) => {
    const by =
      reached.length > 0 && draw.happens(0.05)
        ? draw.pick(reached)
        : {
            email: draw.happens(0.6) ? someEmail(planner) : '',
            phone: draw.happens(0.4) ? somePhone(planner) : '',
          };
    reached.push(by);
    const { email, phone } = by;
    const own = someLead(planner, index, isImported);
    const given = { ...own, ...(email && { email }), ...(phone && { phone }) };
    const lead = { ...own, email };
    const isWrong = draw.happens(0.05);
    return {
      given: { ...given, ...(isWrong && mistake) },
      lead,
      phone,
      problem: isWrong ? problem : undefined,
    };
  });
}

/** Lead that an item asks for. @throws Refused */
const leadOf = ({ country }: OrganizationModel, { lead, phone }: Item): Fields => ({
  ...lead,
  phone: phone === '' ? '' : storedNumber(phone, country),
});

/**
 * Stores the leads that the transaction stores, as their items ask for. Returns them by index of their items.
 * @throws Refused
 */
function storeSome(
  change: Change,
  items: readonly Item[],
  { made, kept, response }: Progress,
): Map<number, Fields> {
  const { organization, written } = change;
  const results = response ? resultsIn(response.body) : undefined;
  const stored = new Map<number, Fields>();
  const storedBefore = new Set(kept?.made.flatMap((one) => [...leadsOf(one).keys()]));
  let before = Math.max(-1, ...made.flatMap((one) => [...leadsOf(one).keys()]));
  for (;;) {
    const next = written.get(organization.nameOf('LEAD', change.next('LEAD')));
    if (!next) return stored;
    const index = indexOf(next);
    const item = items[index];
    if (!item || item.problem || index <= before)
      throw new Refused({ status: 0, message: `the item ${index} is none, wrong, or not in order` });
    if (results && promisesNothing(results[index]))
      throw new Refused({ status: 0, message: `the item ${index} was answered as not stored` });
    if (kept && storedBefore.has(index)) throw secondEffect(kept.records, { item: index });
    stored.set(index, shownLead(addLead(change, leadOf(organization, item))));
    change.keep('LEAD', change.next('LEAD') - 1, index);
    before = index;
  }
}

const leadsOf = ({ response }: Made) => response as Map<number, Fields>;
const resultsIn = (body: unknown) => ((body as Fields | undefined)?.['results'] ?? []) as Fields[];

/** True if an item's result promises that nothing of it is stored. */
const promisesNothing = (result: Fields | undefined) =>
  result?.['status'] === 'error' && !/whether|not known/i.test(String(result['message']));

/** A batch of the API, or of an operator's import. */
function batch(planner: Planner, operation: 'createLeads' | 'importLeads'): Plan {
  const { organization } = planner;
  const isImported = operation === 'importLeads';
  const items = someItems(planner, isImported);
  const leads = items.map(({ given }) => given);
  return {
    operation,
    isInParts: true,
    organization,
    call: isImported
      ? {
          verb: async (ledger) => {
            const results = await storeAll(ledger, leads, () => undefined, ImportedLead);
            const succeeded = results.filter(({ status }) => status === 'ok').length;
            const total = results.length;
            return { results, summary: { total, succeeded, failed: total - succeeded } };
          },
        }
      : { endpoint: 'createLeads', body: JSON.stringify({ leads }) },
    repeated: 'goesOn',
    stages: (progress) => [
      { stage: progress.made.length, store: (change) => storeSome(change, items, progress) },
    ],
    check: (body, window, answered) => {
      checkBatch(body as Fields, items, window, answered);
    },
  };
}

export const createLeads = (planner: Planner): Plan => batch(planner, 'createLeads');
export const importLeads = (planner: Planner): Plan => batch(planner, 'importLeads');

function checkBatch(
  { results, summary }: Fields,
  items: readonly Item[],
  window: Window,
  answered: CompletedProgress,
): void {
  const all = results as Fields[];
  const succeeded = all.filter(({ status }) => status === 'ok').length;
  const expected = { total: items.length, succeeded, failed: items.length - succeeded };
  if (
    !same(summary, expected) ||
    !same(
      all.map(({ index }) => index),
      [...items.keys()],
    )
  ) {
    throw new Violation('A batch must have a result for each item, and count them', expected, {
      summary,
      results: all.length,
    });
  }
  const { made, kept } = answered;
  const own = new Map(made.flatMap((one) => [...leadsOf(one)]));
  const before = new Map(kept?.made.flatMap((one) => [...leadsOf(one)]));
  for (const [index, item] of items.entries()) {
    const result = all[index]!;
    const repeated = before.get(index);
    const record = kept?.records.find((one) => one.startsWith(`${index}:`)) ?? '';
    if (repeated && result['status'] === 'ok') {
      const states = areAsMade(record, window);
      const { id } = repeated;
      const whole = answered.may('leads:read') ? repeated : { id };
      const possible = [
        ...(own.has(index) || states.includes(true) ? [whole] : []),
        ...(states.includes(false) ? [{ id }] : []),
      ];
      checkOneOf('A batch must answer an item as when it was stored', possible, result['lead']);
    } else {
      const commit = kept?.made.find((one) => leadsOf(one).has(index));
      const isStored = own.has(index) || (commit !== undefined && mustKnow(commit, made, window));
      checkResult(result, item, window, { ...answered, stored: own.get(index), repeated, isStored });
    }
  }
}

function checkResult(
  result: Fields,
  item: Item,
  window: Window,
  {
    stored,
    repeated,
    isStored,
    may,
    mayFail,
  }: Pick<CompletedProgress, 'may' | 'mayFail'> &
    Record<'stored' | 'repeated', Fields | undefined> & { isStored: boolean },
): void {
  const { index, code, existingId } = result;
  const isRight =
    result['status'] === 'ok'
      ? stored !== undefined &&
        same(result, { index, status: 'ok', lead: may('leads:read') ? stored : { id: stored['id'] } })
      : code === 'INTERNAL_ERROR'
        ? mayFail && !(isStored && promisesNothing(result))
        : !isStored &&
          (existingId === undefined || existingId !== repeated?.['id']) &&
          refusalsOfItem(window, item).some(
            (refusal) =>
              codes[refusal.status] === code &&
              (may('leads:read') ? refusal.existingId : undefined) === existingId,
          );
  if (!isRight) {
    throw new Violation(
      'The result of each batch item must report what was stored',
      stored ?? repeated ?? refusalsOfItem(window, item),
      result,
    );
  }
}

const codes: Record<number, string> = { 400: 'VALIDATION_ERROR', 409: 'CONFLICT' };

function refusalsOfItem(window: Window, item: Item): ErrorResponse[] {
  const { organization } = window;
  if (item.problem) return [item.problem];
  const wrong = refusalsOf(() => leadOf(organization, item));
  return wrong.length > 0 ? wrong : takenIn(window, 'LEAD', leadOf(organization, item));
}

export const plans: readonly WeightedPlan[] = [
  [createLeads, 1.5],
  [importLeads, 0.5],
];
