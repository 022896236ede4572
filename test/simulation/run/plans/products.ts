import type { Change } from '../model/change.ts';
import {
  notFound,
  noSuch,
  Refused,
  refusalsOf,
  unlessRefused,
  type ErrorResponse,
} from '../model/refusal.ts';
import { anyTag } from '../model/tags.ts';
import type { Window } from '../model/window.ts';
import { someIfMatch } from '../conditions.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { inSpace, someName, someNumber, withNulls, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { checkCategory, refusalsOfCategory, someCategory } from './categories.ts';
import { takenIn } from './leads.ts';

/** A product as the API shows it. */
export const shownProduct = (product: Fields) => without(product, 'response');

const pricesOf: Record<string, string[]> = { NONE: [], FIXED: ['price'], RANGE: ['price', 'maxPrice'] };

/**
 * Prices of a product of this type: as given, or as they were before (`decisions.md`, "Bodies"). @throws
 * Refused
 */
function pricesAs(type: string, given: Fields, before: Fields | undefined): Fields {
  const applying = pricesOf[type]!;
  const appliedBefore = before ? pricesOf[before['pricingType'] as string]! : [];
  const prices: Record<string, number> = {};
  for (const field of ['price', 'maxPrice']) {
    const value = given[field] as number | undefined;
    if (!applying.includes(field)) {
      if (value) throw new Refused({ status: 400, field });
      prices[field] = 0;
      continue;
    }
    const was = appliedBefore.includes(field) ? (before?.[field] as number) : undefined;
    if (value === undefined && was === undefined) throw new Refused({ status: 400, field });
    prices[field] = value ?? was ?? 0;
  }
  if (type === 'RANGE' && prices['price']! > prices['maxPrice']!) {
    throw new Refused({ status: 400, field: 'maxPrice' });
  }
  return prices;
}

/** Random prices, valid or not. */
function somePrices({ draw }: Planner): Fields {
  return draw.pick<Fields>([
    { pricingType: 'NONE' },
    { pricingType: 'FIXED', price: draw.whole(1, 500) },
    { pricingType: 'RANGE', price: draw.whole(1, 300), maxPrice: draw.whole(200, 500) },
    { pricingType: 'RANGE', price: 10 },
  ]);
}

export function createProduct(planner: Planner): Plan {
  const { draw, organization } = planner;
  const prices = somePrices(planner);
  const given = {
    name: someName(planner, 'tap'),
    tradeCategoryId: someCategory(planner, 'PRODUCT'),
    ...prices,
    ...(draw.happens(0.3) && {
      description: 'Gas storage',
      response: 'Within two days.',
      faqs: [{ question: 'Old one?', answer: 'Taken away.' }],
      isActive: false,
      isDisclosePrice: true,
    }),
  };
  const category = given.tradeCategoryId;
  const withPrices = () => ({ ...given, ...pricesAs(prices['pricingType'] as string, given, undefined) });
  const body = withNulls(
    planner,
    { ...given, name: inSpace(planner, given.name) },
    ...['price', 'maxPrice', 'description', 'response', 'faqs', 'isActive'],
  );
  return {
    operation: 'createProduct',
    organization,
    call: { endpoint: 'createProduct', body: JSON.stringify(body) },
    stages: once((change) => {
      checkCategory(change.get('CATEGORY', category), 'PRODUCT');
      const fields = withPrices();
      const presets = { description: '', isDisclosePrice: false, faqs: [], isActive: true, response: '' };
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const product = change.append('PRODUCT', (id) => ({ id, ...presets, ...fields, ...stamps }));
      change.event('PRODUCT_CREATED', 'The product was created', product['id'] as number);
      return { product: shownProduct(product) };
    }),
    refusals: (window) => [
      ...refusalsOf(withPrices),
      ...refusalsOfCategory(window, category, 'PRODUCT'),
      ...takenIn(window, 'PRODUCT', given),
    ],
  };
}

/** Random changes of a product. */
export function someChanges(planner: Planner): Fields {
  const { draw } = planner;
  return {
    ...(draw.happens(0.4) && { name: someName(planner, 'tap') }),
    ...(draw.happens(0.25) && { tradeCategoryId: someCategory(planner, 'PRODUCT') }),
    ...(draw.happens(0.3) && somePrices(planner)),
    ...(draw.happens(0.4) && { description: `Version ${draw.whole(1, 40)}` }),
    ...(draw.happens(0.1) && { isActive: draw.happens(0.5), response: 'Soon.' }),
  };
}

/** Applies changes to a product. @throws Refused */
const changedProduct = (before: Fields, changes: Fields): Fields => {
  const merged = { ...before, ...changes };
  return { ...merged, ...pricesAs(merged['pricingType'] as string, changes, before) };
};

/** Stores changes of a product and returns the product of the response. @throws Refused */
export function storeChanges(change: Change, number: number, changes: Fields, tags = anyTag): Fields {
  const before = change.get('PRODUCT', number);
  if (!before) throw new Refused(notFound('product'));
  tags.check(shownProduct(before));
  const category = changes['tradeCategoryId'] as number | undefined;
  if (category !== undefined && !change.get('CATEGORY', category)) {
    throw new Refused(noSuch('category', 'tradeCategoryId'));
  }
  if (category !== undefined && category !== before['tradeCategoryId']) {
    checkCategory(change.get('CATEGORY', category), 'PRODUCT');
  }
  const after = changedProduct(before, changes);
  if (same(before, after)) throw new Refused({ status: 200, message: 'nothing changes' });
  const product = change.replace('PRODUCT', number, { ...after, updatedAt: change.now });
  change.event('PRODUCT_UPDATED', 'The product was changed', number);
  return shownProduct(product);
}

/** Possible errors for changes of a product in the window of a request. */
export function refusalsOfChanges(
  window: Window,
  number: number,
  changes: Fields,
  tags = anyTag,
): ErrorResponse[] {
  const category = changes['tradeCategoryId'] as number | undefined;
  const noCategory = category !== undefined && window.canMiss('CATEGORY', category);
  return [
    ...(window.canMiss('PRODUCT', number) ? [notFound('product')] : []),
    ...(noCategory ? [noSuch('category', 'tradeCategoryId')] : []),
    ...window.spans('PRODUCT', number).flatMap(({ fields: before, ...versions }) => {
      if (!tags.fits(shownProduct(before))) return tags.refusalsOf([shownProduct(before)]);
      const merged: Fields = { ...before, ...changes };
      const isMoved = category !== undefined && category !== before['tradeCategoryId'];
      return [
        ...(isMoved ? refusalsOfCategory(window, category, 'PRODUCT') : []),
        ...refusalsOf(() => changedProduct(before, changes)),
        // Both of one version: the product, and the owner of the name.
        ...takenIn(window, 'PRODUCT', merged, { own: number, versions }),
      ];
    }),
  ];
}

/** States of the product in the window that the changes leave as they are. */
export const unchangedBy = (window: Window, number: number, changes: Fields, tags = anyTag): Fields[] =>
  window.present('PRODUCT', number).filter((before) => {
    if (!tags.fits(shownProduct(before))) return false;
    const after = unlessRefused(() => changedProduct(before, changes));
    return same(before, after);
  });

export function updateProduct(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'PRODUCT');
  const changes = someChanges(planner);
  const { headers, tags } = someIfMatch(planner, 'product', number);
  return {
    operation: 'updateProduct',
    organization,
    call: {
      endpoint: 'updateProduct',
      params: { productId: String(number) },
      body: JSON.stringify(
        withNulls(planner, changes, ...['name', 'tradeCategoryId', 'pricingType', 'price', 'isActive']),
      ),
      headers,
    },
    stages: once((change) => ({ product: storeChanges(change, number, changes, tags) })),
    refusals: (window) => refusalsOfChanges(window, number, changes, tags),
    unchanged: (window) =>
      unchangedBy(window, number, changes, tags).map((product) => ({ product: shownProduct(product) })),
  };
}

export const plans: readonly WeightedPlan[] = [
  [createProduct, 4],
  [updateProduct, 6],
];
