import { invalid, notFound, type ErrorResponse } from '../model/refusal.ts';
import { refusalsIn } from '../as-of.ts';
import type { Change } from '../model/change.ts';
import { areAsMade, mustKnow } from '../key-check.ts';
import type { Kept, Made } from '../model/keyed.ts';
import type { TagList } from '../model/tags.ts';
import type { Window } from '../model/window.ts';
import { changing, once, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someIfNoneMatch, someName, someNumber, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { listInCategory } from '../pages.ts';
import { deleting } from './records.ts';
import { checkCategory, someCategory } from './categories.ts';

/** A product as the API shows it. */
export const shownProduct = (product: Fields) => without(product, 'response');

export function createProduct(planner: Planner): Plan {
  const { draw, organization } = planner;
  const category = someCategory(planner, 'PRODUCT');
  const given = {
    name: someName(planner, 'tap'),
    tradeCategoryId: category,
    ...draw.pick([{ pricingType: 'NONE' }, { pricingType: 'FIXED', price: draw.whole(1, 500) }]),
    ...(draw.happens(0.3) && { description: 'Gas storage', response: 'Within two days.', isActive: false }),
  };
  const presets = {
    ...{ price: 0, maxPrice: 0, description: '', response: '' },
    ...{ isDisclosePrice: false, faqs: [], isActive: true },
  };
  return {
    operation: 'createProduct',
    organization,
    call: { endpoint: 'createProduct', body: JSON.stringify(given) },
    stages: once((change) => {
      checkCategory(change.get('CATEGORY', category), 'PRODUCT');
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const product = change.append('PRODUCT', (id) => ({ id, ...presets, ...given, ...stamps }));
      change.event('PRODUCT_CREATED', 'The product was created', product['id'] as number);
      return { product: shownProduct(product) };
    }),
  };
}

/** Random changes of a product. */
function someChanges(planner: Planner): Fields {
  const { draw } = planner;
  return {
    ...(draw.happens(0.4) && { name: someName(planner, 'tap') }),
    ...(draw.happens(0.25) && { tradeCategoryId: someCategory(planner, 'PRODUCT') }),
    ...(draw.happens(0.4) && { description: `Version ${draw.whole(1, 40)}` }),
    ...(draw.happens(0.1) && { isActive: draw.happens(0.5), response: 'Soon.' }),
  };
}

/** Expectations of a request, or an item of a batch at a position, that changes a product. */
function changingProduct(number: number, changes: Fields, { tags, item }: { tags?: TagList; item?: number }) {
  const category = changes['tradeCategoryId'] as number | undefined;
  return changing({
    ...{ collection: 'PRODUCT', number, label: 'product', shown: shownProduct },
    ...(tags && { tags }),
    changed: (before) => ({ ...before, ...changes }),
    store: (change, before, after) => {
      if (category !== undefined && category !== before['tradeCategoryId'])
        checkCategory(change.get('CATEGORY', category), 'PRODUCT');
      const product = change.replace('PRODUCT', number, { ...after, updatedAt: change.now });
      change.event('PRODUCT_UPDATED', 'The product was changed', number);
      if (item !== undefined) change.keep('PRODUCT', number, item);
      return product;
    },
  });
}

export function updateProduct(planner: Planner): Plan {
  const number = someNumber(planner, 'PRODUCT');
  const changes = someChanges(planner);
  const { headers, tags } = someIfMatch(planner, 'product', number);
  const params = { productId: String(number) };
  return {
    operation: 'updateProduct',
    organization: planner.organization,
    call: { endpoint: 'updateProduct', params, body: JSON.stringify(changes), headers },
    ...changingProduct(number, changes, { tags }),
  };
}

/** One item of a batch, with its expectations. */
interface Item extends ReturnType<typeof changing> {
  update: Fields & { id: number };
  /** Error of the item in any state of the organization; undefined for a valid item. */
  problem: ErrorResponse | undefined;
}

/** Makes one item of a batch invalid, and leaves the others valid. */
const mistake = { constructor: 1 };
const problem = invalid({ field: 'constructor', message: 'is not a known field' });

function someItem(planner: Planner, at: number): Item {
  const { draw } = planner;
  const id = draw.happens(0.02) ? draw.pick([0, -1]) : someNumber(planner, 'PRODUCT');
  const changes = someChanges(planner);
  const isWrong = draw.happens(0.05);
  return {
    update: { id, ...changes, ...(isWrong && mistake) },
    problem: isWrong ? problem : undefined,
    ...changingProduct(id, changes, { item: at }),
  };
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
  const items = Array.from({ length: draw.whole(1, draw.happens(0.1) ? 15 : 5) }, (_, at) =>
    someItem(planner, at),
  );
  const body = JSON.stringify({ updates: items.map(({ update }) => update) });
  return {
    operation: 'updateProducts',
    isInParts: true,
    repeated: 'goesOn',
    organization,
    call: { endpoint: 'updateProducts', body },
    // Items are carried out in order, but a call of an earlier item can arrive late.
    stages: (request) =>
      items.flatMap((item, stage) => {
        const isMade = request.made.some(({ fits }) => fits.length === 1 && fits[0] === stage);
        if (item.problem !== undefined || isMade || recordOf(request.kept, stage)) return [];
        const store = (change: Change) => item.stages({ ...request, made: [] })[0]?.store(change);
        return [{ stage, store }];
      }),
    check: (answer, window, { made, kept, may }) => {
      const shown = (product: Fields) => (may('products:read') ? product : { id: product['id'] });
      checkBatch(answer as Fields, items, window, { made, kept, shown });
    },
  };
}

/** Record that a request with the key has stored for an item: `3:PRODUCT#5@7`. */
const recordOf = (kept: Kept | undefined, at: number) =>
  kept?.records.find((record) => record.startsWith(`${at}:`));

/** Commits of a batch, and the form in which its client may see a product. */
interface Batch {
  made: readonly Made[];
  /** Commits of all requests with the key. */
  kept?: Kept | undefined;
  shown: (product: Fields) => Fields;
}

const productIn = (response: unknown) => (response as { product: Fields }).product;

function checkBatch(
  { results, summary }: Fields,
  items: readonly Item[],
  window: Window,
  { made, kept, shown }: Batch,
): void {
  const all = results as Fields[];
  const succeeded = all.filter(({ status }) => status === 'ok').length;
  const expected = { total: items.length, succeeded, failed: items.length - succeeded };
  if (all.length !== items.length || !same(summary, expected)) {
    throw new Violation('A batch must have a result for each item, and count them', expected, summary);
  }
  const commits = commitsByItem(all, { made, shown });
  for (const [at, item] of items.entries()) {
    const record = recordOf(kept, at);
    const keptBy = record && kept?.made.find(({ fits }) => fits[0] === at);
    if (record && keptBy) checkKept(all[at]!, item, window, { record, keptBy, made, shown });
    else checkResult(all[at]!, item, window, { made: commits.get(at), shown });
  }
}

/** Checks the result of an item that a request with the key has stored: as it was made, or its id alone if it has changed. */
function checkKept(
  result: Fields,
  item: Item,
  window: Window,
  { record, keptBy, made, shown }: { record: string; keptBy: Made } & Omit<Batch, 'kept'>,
): void {
  const { id } = item.update;
  const isKnown = mustKnow(keptBy, made, window);
  if (result['status'] === 'ok') {
    const states = areAsMade(record, window);
    const whole = [
      ...(made.includes(keptBy) || states.includes(true) ? [keptBy.response] : []),
      // Without time to ask for a twin, an item that the twin has stored is one that changes nothing.
      ...(isKnown && !window.isOutOfTime ? [] : item.unchanged(window)),
    ];
    const products = [
      ...whole.map((response) => shown(productIn(response))),
      ...(states.includes(false) ? [{ id }] : []),
    ];
    const possible = products.map((product) => ({ id, status: 'ok', product }));
    checkOneOf('A batch must answer an item as when it was stored', possible, result);
  } else if (!isKnown) checkResult(result, item, window, { made: undefined, shown });
  else if (result['code'] !== 'INTERNAL_ERROR' || nothingChanged.includes(String(result['message'])))
    throw new Violation('A batch item reported as unchanged must have stored nothing', keptBy, result);
}

/**
 * Assigns commits to items. If items store the same product state, the results decide between them. @throws
 * Violation if there are more commits than items
 */
function commitsByItem(results: readonly Fields[], { made, shown }: Batch): Map<number, Made> {
  const commits = new Map<number, Made>();
  for (const one of made) {
    const free = one.fits.filter((at) => !commits.has(at));
    const reported = free.find((at) => same(results[at]!['product'], shown(productIn(one.response))));
    const unreported = free.find((at) => results[at]!['code'] === 'INTERNAL_ERROR');
    const at = reported ?? unreported ?? free[0];
    if (at === undefined) throw new Violation('An item of a batch must be stored once', 'no commit', one);
    commits.set(at, one);
  }
  return commits;
}

function checkResult(
  result: Fields,
  { update: { id }, problem, unchanged, stages }: Item,
  window: Window,
  { made, shown }: { made: Made | undefined } & Pick<Batch, 'shown'>,
): void {
  if (result['status'] === 'ok' && !problem) {
    const possible = (made ? [made.response] : unchanged(window)).map((response) => ({
      ...{ id, status: 'ok', product: shown(productIn(response)) },
    }));
    checkOneOf('The result of a batch item must show what was stored', possible, result);
    return;
  }
  const { code, message } = result;
  if (code === 'INTERNAL_ERROR') {
    if (made && nothingChanged.includes(String(message))) {
      const rule = 'A batch item reported as unchanged must have stored nothing';
      throw new Violation(rule, 'no commit', { result, version: made.version });
    }
    return;
  }
  const alone = { made: [], handovers: [], publishedAt: '', scopes: [] };
  const possible = problem ? [problem] : [...refusalsIn(window, stages(alone))];
  const isRight = possible.some((refusal) => code === codes[refusal.status]);
  if (made || !isRight) {
    const rule = 'A refused batch item must have a right error and have stored nothing';
    throw new Violation(rule, { refusals: possible, commit: made?.version }, result);
  }
}

export const listProducts = (planner: Planner): Plan =>
  listInCategory(planner, 'listProducts', { collection: 'PRODUCT', key: 'products', shown: shownProduct });

export function getProduct(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'PRODUCT');
  const { headers, tags } = someIfNoneMatch(planner, 'product', number);
  return {
    operation: 'getProduct',
    organization,
    call: { endpoint: 'getProduct', params: { productId: String(number) }, headers },
    ifNoneMatch: tags,
    unchanged: (window) => window.present('PRODUCT', number).map((one) => ({ product: shownProduct(one) })),
    refusals: (window) => (window.canMiss('PRODUCT', number) ? [notFound('product')] : []),
  };
}

export const plans: readonly WeightedPlan[] = [
  [createProduct, 4],
  [updateProduct, 6],
  [updateProducts, 4],
  [listProducts, 4],
  [getProduct, 2],
  [deleting({ record: 'product', label: 'product', shown: shownProduct }), 2],
];
