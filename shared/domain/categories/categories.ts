import * as v from 'valibot';
import { categoryTypes } from '../../contract/organization.ts';
import type { Collection, RecordRef, RecordOf } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { invalid, noSuch } from '../../core/failure.ts';

/** What services and products are grouped by. */
export const categories = {
  name: 'CATEGORY',
  label: 'category',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    type: v.picklist(categoryTypes),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type Category = RecordOf<typeof categories>;
export type NewCategory = Pick<Category, 'name' | 'type'>;

/** What a new organization starts with. */
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
    write.event({
      event: 'CATEGORY_CREATED',
      data: 'The category was created',
      referenceId: String(category.id),
    });
    return category;
  });
}

/** The part of a write that creates a category. */
export function addCategory(write: Write, { name, type }: NewCategory): Category {
  return write.append(categories, ({ number }) => ({ id: number, name, type, createdAt: write.now })).record;
}

/** Where the category is that a body names. @throws Failure `invalid` for a number that can be none. */
export function categoryRef(ledger: Ledger, tradeCategoryId: number): RecordRef<typeof categories> {
  const ref = ledger.tryRef(categories, tradeCategoryId);
  if (!ref) throw noCategory();
  return ref;
}

/** @throws Failure `invalid` where the category that a body names is not there, or not for records of this type. */
export function checkCategory(category: Category | undefined, type: Category['type']): void {
  if (category === undefined) throw noCategory();
  if (category.type === type) return;
  throw invalid([
    { field: 'tradeCategoryId', message: `names a category of type ${category.type}, not of type ${type}` },
  ]);
}

/** 400: the `tradeCategoryId` of a body names no category. */
export const noCategory = () => noSuch(categories.label, 'tradeCategoryId');
