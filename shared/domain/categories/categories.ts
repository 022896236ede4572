import * as v from 'valibot';
import {
  Category,
  categoryLabel,
  maxCategories,
  type CategoryType,
  type NewCategory,
} from '../../contract/categories.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { invalid, noSuch, type Failure } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

/** Groups of services or of products. */
export const categories = {
  name: 'CATEGORY',
  label: categoryLabel,
  schema: v.object(Category.entries),
} as const satisfies Collection;

export const defaultCategories: readonly NewCategory[] = [
  { name: 'Services', type: 'SERVICE' },
  { name: 'Products', type: 'PRODUCT' },
];

/** All categories, by id ascending. One round trip, or two after a deletion. */
export const allCategories = (ledger: Ledger): Promise<Category[]> => ledger.all(categories);

/** Page of the categories, by id ascending unless the query says otherwise. A cursor has its own order. */
export const listCategories = (ledger: Ledger, query: PageQuery): Promise<Page<Category>> =>
  ledger.page(categories, query.after === undefined ? { order: 'oldest', ...query } : query);

/** One category. One round trip. @throws Failure `notFound` */
export function getCategory(ledger: Ledger, categoryId: number): Promise<Category> {
  return ledger.get(ledger.ref(categories, categoryId));
}

/** Creates a category. One transaction. @throws Failure `invalid` beyond `maxCategories` */
export function createCategory(ledger: Ledger, input: NewCategory): Promise<Category> {
  return ledger.write({}, (write) => {
    if (write.count(categories) >= maxCategories)
      throw invalid([{ field: '', message: `An organization has at most ${maxCategories} categories` }]);
    const category = addCategory(write, input);
    recordEvent(write, { event: 'CATEGORY_CREATED', about: category.id });
    return category;
  });
}

/** Creates a category, as part of a write. */
export function addCategory(write: Write, { name, type }: NewCategory): Category {
  const { now } = write;
  return write.append(categories, ({ number }) => ({
    id: number,
    name,
    type,
    createdAt: now,
    updatedAt: now,
  })).record;
}

/**
 * Key of the category that a body names, for a write to change. @throws Failure `invalid` for an impossible id
 */
export function categoryNamed(ledger: Ledger, tradeCategoryId: number) {
  const ref = ledger.tryRef(categories, tradeCategoryId);
  if (!ref) throw noCategory();
  return { ref, orElse: noCategory };
}

/** @throws Failure `invalid` if the category is for records of another type */
export function checkCategory(category: Category, type: CategoryType): void {
  if (category.type === type) return;
  throw invalid([
    { field: 'tradeCategoryId', message: `names a category of type ${category.type}, not of type ${type}` },
  ]);
}

/** Failure `invalid`: `tradeCategoryId` names no category. */
export const noCategory = (): Failure => noSuch(categories.label, 'tradeCategoryId');
