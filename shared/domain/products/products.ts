import * as v from 'valibot';
import { categories, categoryNamed, checkCategory } from '../categories/categories.ts';
import type { Category } from '../../contract/categories.ts';
import {
  categoryRef,
  listsInCategory,
  pageInCategory,
  readChangingCategories,
} from '../categories/in-category.ts';
import {
  Product,
  productLabel,
  type NewProduct,
  type PricingType,
  type ProductChanges,
} from '../../contract/products.ts';
import type { CatalogPageQuery } from '../../contract/pagination.ts';
import { currencyFor } from '../pricing/currency.ts';
import { PriceCheck } from '../pricing/price-check.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { storeChange } from '../records/change-record.ts';

/** A product as stored. The API does not show its `response`. */
export const products = {
  name: 'PRODUCT',
  label: productLabel,
  schema: v.object({ ...Product.entries, response: v.string() }),
  isConfiguration: true,
  // Names are unique among the live products of a category.
  uniques: ({ name, tradeCategoryId }: Pick<Product, 'name' | 'tradeCategoryId'>) => [
    {
      field: 'name',
      value: name,
      isName: true,
      within: { collection: categories, number: tradeCategoryId },
    },
  ],
  lists: listsInCategory,
} as const satisfies Collection;

type ProductRecord = RecordOf<typeof products>;

/** Page of the products, newest first: all, or selected by category, by `isActive`, or by both. */
export async function listProducts(ledger: Ledger, query: CatalogPageQuery): Promise<Page<Product>> {
  const { items, ...page } = await pageInCategory(ledger, products, query);
  return { ...page, items: items.map(toProduct) };
}

/** One product. One round trip. @throws Failure `notFound` */
export async function getProduct(ledger: Ledger, productId: number): Promise<Product> {
  return toProduct(await ledger.get(ledger.ref(products, productId)));
}

/**
 * Creates a product. One transaction.
 * @throws Failure `invalid` for a category that does not exist or is not for products, or for prices that do not fit
 * the pricing type
 * @throws Failure `conflict` if a live product of the category has the name
 */
export async function createProduct(ledger: Ledger, input: NewProduct): Promise<Product> {
  const category = categoryNamed(ledger, input.tradeCategoryId);
  return ledger.write({ change: { category } }, async (write, { category }) => {
    const currency = await currencyFor(write, priceFields, input);
    const product = addProduct(write, input, category, currency);
    recordEvent(write, { event: 'PRODUCT_CREATED', about: product.id });
    return product;
  });
}

/**
 * Creates a product, as part of a write. `currency` is what its prices are checked against.
 * @throws Failure `invalid` as `createProduct` does
 */
export function addProduct(write: Write, input: NewProduct, category: Category, currency?: string): Product {
  const { name, tradeCategoryId, pricingType, description = '', response = '', faqs = [] } = input;
  const { isActive = true, isDisclosePrice = false } = input;
  const prices = pricesOf(pricingType, input, { currency });
  checkCategory(category, 'PRODUCT');
  const { record } = write.append(products, ({ number }) => ({
    id: number,
    name,
    description,
    tradeCategoryId,
    pricingType,
    ...prices,
    isDisclosePrice,
    faqs,
    isActive,
    response,
    createdAt: write.now,
    updatedAt: write.now,
  }));
  return toProduct(record);
}

/**
 * Changes a product. One transaction, or none if nothing changes. `pricesIn` is the prefix of the prices'
 * names in the request, for messages; `item` is the position in a batch.
 * @throws Failure `notFound` for the product; as `refuseOutdated` does; otherwise as `createProduct`
 */
export async function updateProduct(
  ledger: Ledger,
  productId: number,
  changes: ProductChanges,
  {
    pricesIn = '',
    item,
    refuseOutdated,
  }: ChangeConditions<Product> & { pricesIn?: string; item?: number } = {},
): Promise<Product> {
  const ref = ledger.ref(products, productId);
  return ledger.write({ change: { product: ref } }, async (write, { product }) => {
    refuseOutdated?.(toProduct(product));
    const merged = merge(product, changes);
    const currency = await currencyFor(write, priceFields, changes, product);
    const prices = pricesOf(merged.pricingType, changes, { product, pricesIn, currency });
    const after = { ...merged, ...prices };
    await readChangingCategories(write, 'PRODUCT', product, after);
    const stored = storeChange(
      write,
      ref,
      { before: product, after },
      { event: 'PRODUCT_UPDATED', about: product.id },
      toProduct,
    );
    if (item !== undefined) write.keep(ref, item);
    return toProduct(stored);
  });
}

/** Deletes a product. One transaction. @throws Failure `notFound`; as `refuseOutdated` does */
export function deleteProduct(
  ledger: Ledger,
  productId: number,
  { refuseOutdated }: ChangeConditions<Product> = {},
): Promise<void> {
  const ref = ledger.ref(products, productId);
  return ledger.write({ change: { product: ref } }, async (write, { product }) => {
    refuseOutdated?.(toProduct(product));
    await write.read(categoryRef(product));
    write.remove(ref);
    recordEvent(write, { event: 'PRODUCT_DELETED', about: productId });
  });
}

const priceFields = ['price', 'maxPrice'] as const;

const pricesOfType = {
  NONE: [],
  FIXED: ['price'],
  RANGE: priceFields,
} as const satisfies Record<PricingType, readonly (keyof Product)[]>;

/** The prices of this type: as given, otherwise as before if they applied then. @throws Failure `invalid` */
function pricesOf(
  type: PricingType,
  given: { price?: number | undefined; maxPrice?: number | undefined },
  {
    product: before,
    pricesIn: prefix,
    currency,
  }: { product?: ProductRecord; pricesIn?: string; currency?: string | undefined },
): { price: number; maxPrice: number } {
  const check = new PriceCheck(`pricingType ${type}`, pricesOfType[type], { prefix, currency });
  const appliedBefore: readonly string[] = before ? pricesOfType[before.pricingType] : [];
  const was = (field: 'price' | 'maxPrice') => (appliedBefore.includes(field) ? before?.[field] : undefined);
  const price = check.price('price', given.price, was('price'));
  const maxPrice = check.price('maxPrice', given.maxPrice, was('maxPrice'));
  check.finish({ field: 'price', price }, { field: 'maxPrice', price: maxPrice });
  return { price, maxPrice };
}

/** A product as the API shows it. */
export function toProduct({ response, ...product }: ProductRecord): Product {
  return product;
}
