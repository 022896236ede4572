// Not in `categories`: products and services import that folder, and this file imports products and services.
import type { Category, CategoryChanges } from '../../contract/categories.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { refuseInUse } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { categories } from '../categories/categories.ts';
import { recordEvent } from '../events/record-event.ts';
import { products } from '../products/products.ts';
import { storeChange } from '../records/change-record.ts';
import { services } from '../services/services.ts';

/**
 * Changes a category. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; as `refuseOutdated` does; `conflict` for another type while anything is in it
 */
export function updateCategory(
  ledger: Ledger,
  categoryId: number,
  changes: CategoryChanges,
  { refuseOutdated }: ChangeConditions<Category> = {},
): Promise<Category> {
  const ref = ledger.ref(categories, categoryId);
  return ledger.write({ change: { category: ref } }, (write, { category }) => {
    refuseOutdated?.(category);
    const after = merge(category, changes);
    if (after.type !== category.type) refuseUsed(write, ref);
    return storeChange(
      write,
      ref,
      { before: category, after },
      { event: 'CATEGORY_UPDATED', about: category.id },
    );
  });
}

/**
 * Deletes a category. One transaction.
 * @throws Failure `notFound`; as `refuseOutdated` does; `conflict` while anything is in it
 */
export async function deleteCategory(
  ledger: Ledger,
  categoryId: number,
  { refuseOutdated }: ChangeConditions<Category> = {},
): Promise<void> {
  const ref = ledger.ref(categories, categoryId);
  await ledger.write({ change: { category: ref } }, (write, { category }) => {
    refuseOutdated?.(category);
    refuseUsed(write, ref);
    write.remove(ref);
    recordEvent(write, { event: 'CATEGORY_DELETED', about: category.id });
  });
}

/** @throws Failure `conflict` if a service or product is in the category, which the write has read */
function refuseUsed(write: Write, ref: RecordRef<typeof categories>): void {
  refuseInUse(categories.label, {
    [services.label]: write.membersOf(ref, services, 'category'),
    [products.label]: write.membersOf(ref, products, 'category'),
  });
}
