import * as v from 'valibot';
import { categoryLabel, CategoryType } from '../../contract/categories.ts';
import { invalid, noSuch, type Failure } from '../../core/failure.ts';
import type { Collection, Ledger, RecordOf, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

/** Groups of services or of products. */
export const categories = {
  name: 'CATEGORY',
  label: categoryLabel,
  schema: v.object({
    id: v.number(),
    name: v.string(),
    type: CategoryType,
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type Category = RecordOf<typeof categories>;
export type NewCategory = Pick<Category, 'name' | 'type'>;

export const defaultCategories: readonly NewCategory[] = [
  { name: 'Services', type: 'SERVICE' },
  { name: 'Products', type: 'PRODUCT' },
];

/** All categories, by id ascending. */
export const listCategories = (ledger: Ledger): Promise<Category[]> => ledger.all(categories);

/** Creates a category. One transaction. */
export function createCategory(ledger: Ledger, input: NewCategory): Promise<Category> {
  return ledger.write({}, (write) => {
    const category = addCategory(write, input);
    recordEvent(write, { event: 'CATEGORY_CREATED', about: category.id });
    return category;
  });
}

/** Creates a category, as part of a write. */
export function addCategory(write: Write, { name, type }: NewCategory): Category {
  return write.append(categories, ({ number }) => ({ id: number, name, type, createdAt: write.now })).record;
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
export function checkCategory(category: Category, type: Category['type']): void {
  if (category.type === type) return;
  throw invalid([
    { field: 'tradeCategoryId', message: `names a category of type ${category.type}, not of type ${type}` },
  ]);
}

/** Failure `invalid`: `tradeCategoryId` names no category. */
export const noCategory = (): Failure => noSuch(categories.label, 'tradeCategoryId');
