import { invalid, type ErrorResponse } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import type { Made, Plan, WeightedPlan } from '../plan.ts';
import { someNumber, withNulls, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { refusalsOfChanges, shownProduct, someChanges, storeChanges, unchangedBy } from './products.ts';

interface Item {
  id: number;
  changes: Fields;
  update: Fields;
  /** Error of the item in any state of the organization; undefined for a valid item. */
  problem: ErrorResponse | undefined;
}

/** Mistakes that make one item invalid and leave the others valid. */
const mistakes: readonly [Fields, ErrorResponse][] = [
  [{ name: '\u2800' }, invalid({ field: 'name', message: 'must have a character that can be seen' })],
  [{ constructor: 1 }, invalid({ field: 'constructor', message: 'is not a known field' })],
  [{ constructor: {}, nmae: 'Tap' }, invalid({ field: 'constructor', message: 'is not a known field' })],
  [
    { pricing: { constructor: 1 } },
    invalid({ field: 'pricing.constructor', message: 'is not a known field' }),
  ],
  [{ pricing: [] }, invalid({ field: 'pricing', message: 'must be an object' })],
  [{ name: ' ' }, invalid({ field: 'name', message: 'must not be empty' })],
];

function someItem(planner: Planner): Item {
  const { draw } = planner;
  const id = draw.happens(0.02) ? draw.pick([0, -1]) : someNumber(planner, 'PRODUCT');
  const changes = someChanges(planner);
  const update = asUpdate(planner, id, changes);
  if (!draw.happens(0.05)) return { id, changes, update, problem: undefined };
  const [mistake, problem] = draw.pick(mistakes);
  return { id, changes, update: { ...update, ...mistake }, problem };
}

/** Code of a failed item, by the status that the item would get alone. */
const codes: Record<number, string> = { 400: 'VALIDATION_ERROR', 404: 'NOT_FOUND', 409: 'CONFLICT' };

const nothingChanged = [
  'Something went wrong on our side; nothing of this item was changed',
  'There was not enough time for this item; nothing of it was changed',
];

/** Changes several products in one batch. Some items name the same product, some an unknown one. */
export function updateProducts(planner: Planner): Plan {
  const { draw, organization } = planner;
  const items = Array.from({ length: draw.whole(1, draw.happens(0.1) ? 15 : 5) }, () => someItem(planner));
  return {
    operation: 'updateProducts',
    organization,
    call: {
      endpoint: 'updateProducts',
      body: JSON.stringify({ updates: items.map(({ update }) => update) }),
    },
    // Items are carried out in order, but a call of an earlier item can arrive late.
    stages: ({ made }) =>
      items.flatMap(({ id, changes, problem }, stage) =>
        problem !== undefined || made.some(({ fits }) => fits.length === 1 && fits[0] === stage)
          ? []
          : [{ stage, store: (change) => storeChanges(change, id, changes) }],
      ),
    check: (body, window, { made, may }) => {
      const shown = (product: Fields) => (may('products:read') ? product : { id: product['id'] });
      checkBatch(body as Fields, items, window, { made, shown });
    },
  };
}

function asUpdate(planner: Planner, id: number, changes: Fields): Fields {
  const pricing = Object.fromEntries(
    ['pricingType', 'price'].flatMap((name) => (name in changes ? [[name, changes[name]]] : [])),
  );
  const flat = without(changes, 'pricingType', 'price', 'maxPrice');
  const withMost = 'maxPrice' in changes ? { ...pricing, maxPrice: changes['maxPrice'] } : pricing;
  const priced = Object.keys(withMost).length > 0 && {
    pricing: withNulls(planner, withMost, 'isDisclosePrice'),
  };
  return withNulls(planner, { id, ...flat, ...priced }, 'name', 'tradeCategoryId', 'pricing', 'createdAt');
}

/** Commits of a batch, and the form in which its client may see a product. */
interface Batch {
  made: readonly Made[];
  shown: (product: Fields) => Fields;
}

function checkBatch(
  { results, summary }: Fields,
  items: readonly Item[],
  window: Window,
  { made, shown }: Batch,
): void {
  const all = results as Fields[];
  const succeeded = all.filter(({ status }) => status === 'ok').length;
  const expected = { total: items.length, succeeded, failed: items.length - succeeded };
  if (all.length !== items.length || !same(summary, expected)) {
    throw new Violation('A batch must have a result for each item, and count them', {
      expected,
      observed: summary,
    });
  }
  const commits = commitsByItem(all, { made, shown });
  for (const [at, item] of items.entries())
    checkResult(all[at]!, item, window, { made: commits.get(at), shown });
}

/**
 * Assigns commits to items. If items store the same product state, the results decide between them. @throws
 * Violation if there are more commits than items
 */
function commitsByItem(results: readonly Fields[], { made, shown }: Batch): Map<number, Made> {
  const commits = new Map<number, Made>();
  for (const one of made) {
    const free = one.fits.filter((at) => !commits.has(at));
    const reported = free.find((at) => same(results[at]!['product'], shown(one.response as Fields)));
    const unreported = free.find((at) => results[at]!['code'] === 'INTERNAL_ERROR');
    const at = reported ?? unreported ?? free[0];
    if (at === undefined) {
      throw new Violation('An item of a batch must be stored once', { expected: 'no commit', observed: one });
    }
    commits.set(at, one);
  }
  return commits;
}

function checkResult(
  result: Fields,
  { id, changes, problem }: Item,
  window: Window,
  { made, shown }: { made: Made | undefined } & Pick<Batch, 'shown'>,
): void {
  if (result['status'] === 'ok' && !problem) {
    const stored = made ? [made.response as Fields] : unchangedBy(window, id, changes).map(shownProduct);
    const products = stored.map(shown);
    if (!products.some((product) => same(result, { id, status: 'ok', product }))) {
      throw new Violation('The result of a batch item must show what was stored', {
        expected: products,
        observed: result,
      });
    }
    return;
  }
  const { code, message } = result;
  if (code === 'INTERNAL_ERROR') {
    if (made && nothingChanged.includes(String(message))) {
      throw new Violation('A batch item reported as unchanged must have stored nothing', {
        expected: 'no commit',
        observed: { result, version: made.version },
      });
    }
    return;
  }
  // The service reports a value that older rules allowed only after it has read the product.
  const refusals = [...(problem ? [problem] : []), ...refusalsOfChanges(window, id, changes)];
  const isRight = refusals.some(
    (refusal) =>
      code === codes[refusal.status] &&
      (refusal.status === 404
        ? message === 'Trade product not found'
        : refusal.message === undefined || refusal.message === message),
  );
  if (made || !isRight) {
    throw new Violation('A refused batch item must have a right error and have stored nothing', {
      expected: { refusals, commit: made?.version },
      observed: result,
    });
  }
}

export const plans: readonly WeightedPlan[] = [[updateProducts, 4]];
