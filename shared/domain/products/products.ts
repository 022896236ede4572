import * as v from 'valibot';
import { categories, checkCategory, noCategory, categoryRef } from '../categories/categories.ts';
import { Product, type NewProduct, type PricingType, type ProductChanges } from '../../contract/products.ts';
import { type Collection, type RecordOf } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { PriceCheck } from '../pricing/price-check.ts';
import { notFound, type FieldProblem } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';

/** A product as it is stored. */
export const products = {
  name: 'PRODUCT',
  label: 'product',
  schema: v.object({ ...Product.entries, response: v.string() }),
  // No two live products of a category have the same name.
  uniques: ({ name, tradeCategoryId }: Pick<Product, 'name' | 'tradeCategoryId'>) => [
    { field: 'name', value: name, within: { collection: categories, number: tradeCategoryId } },
  ],
} as const satisfies Collection;

type ProductRecord = RecordOf<typeof products>;

/**
 * Creates a product. One transaction.
 * @throws Failure `invalid` for a category that is not there, or not for products, or prices that do not go with the pricing type; Failure
 * `conflict` for a name that a live product of the category has.
 */
export async function createProduct(ledger: Ledger, input: NewProduct): Promise<Product> {
  const { name, tradeCategoryId, pricingType, description = '', response = '', faqs = [] } = input;
  const { isActive = true, isDisclosePrice = false } = input;
  const ref = categoryRef(ledger, tradeCategoryId);
  const prices = pricesOf(pricingType, input);
  return ledger.write({ check: { category: ref } }, (write, { category }) => {
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
    write.event({
      event: 'PRODUCT_CREATED',
      data: 'The product was created',
      referenceId: String(record.id),
    });
    return toProduct(record);
  });
}

/**
 * Changes a product, and checks it as it will be. One transaction, or none where nothing changes. `pricesIn` is what
 * stands before the names of prices in the request.
 * @throws Failure `notFound` for the product; as `createProduct` for the rest.
 */
export async function updateProduct(
  ledger: Ledger,
  productId: number,
  changes: ProductChanges,
  { pricesIn = '', doubts = [] }: { pricesIn?: string; doubts?: readonly FieldProblem[] } = {},
): Promise<Product> {
  const ref = ledger.ref(products, productId);
  const { tradeCategoryId } = changes;
  const reading = {
    change: { product: ref },
    check: { ...(tradeCategoryId !== undefined && { category: categoryRef(ledger, tradeCategoryId) }) },
  };
  return ledger.write(reading, (write, { product, category }) => {
    if (product === undefined) throw notFound(products.label);
    if (tradeCategoryId !== undefined && category === undefined) throw noCategory();
    // A product that was stored where it may no longer be can be changed elsewhere.
    if (tradeCategoryId !== undefined && tradeCategoryId !== product.tradeCategoryId) {
      checkCategory(category, 'PRODUCT');
    }
    const merged = merge(product, changes, doubts);
    const after = { ...merged, ...pricesOf(merged.pricingType, changes, { product, pricesIn }) };
    const stored = write.change(
      ref,
      { before: product, after },
      { id: product.id, event: 'PRODUCT_UPDATED', data: 'The product was changed' },
    );
    return toProduct(stored);
  });
}

const pricesOfType = {
  NONE: [],
  FIXED: ['price'],
  RANGE: ['price', 'maxPrice'],
} as const satisfies Record<PricingType, readonly (keyof Product)[]>;

/** The prices of a product of this type, as given, or as they were where they applied. @throws Failure `invalid` */
function pricesOf(
  type: PricingType,
  given: { price?: number | undefined; maxPrice?: number | undefined },
  { product: before, pricesIn }: { product?: ProductRecord; pricesIn?: string } = {},
): { price: number; maxPrice: number } {
  const check = new PriceCheck(`pricingType ${type}`, pricesOfType[type], pricesIn);
  const appliedBefore: readonly string[] = before ? pricesOfType[before.pricingType] : [];
  const was = (field: 'price' | 'maxPrice') => (appliedBefore.includes(field) ? before?.[field] : undefined);
  const price = check.price('price', given.price, was('price'));
  const maxPrice = check.price('maxPrice', given.maxPrice, was('maxPrice'));
  check.finish({ field: 'price', price }, { field: 'maxPrice', price: maxPrice });
  return { price, maxPrice };
}

function toProduct({ response, ...product }: ProductRecord): Product {
  return product;
}
