import type { CategoryType } from '../../contract/categories.ts';
import type { Product } from '../../contract/products.ts';
import type { Page, PageQuery } from '../../core/page.ts';
import type { Collection, Ledger, ListKind, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { byState, pageByState, stateName } from '../lists/by-state.ts';
import { categories, checkCategory, noCategory } from './categories.ts';

/** Fields of a service or product that decide its lists. */
type InCategory = Pick<Product, 'tradeCategoryId' | 'isActive'>;

const ofCategory = ({ tradeCategoryId }: InCategory) => ({
  owner: { collection: categories, id: tradeCategoryId },
});

/** Kinds of lists for records that belong to categories: by state, by category, and by both. */
export const listsInCategory = {
  state: byState,
  category: { of: ofCategory },
  categoryAndState: {
    of: (record: InCategory) => ({ ...ofCategory(record), name: stateName(record.isActive) }),
  },
} as const satisfies Record<string, ListKind<InCategory>>;

/**
 * Page of services or products, newest first: all, or selected by category, by `isActive`, or by both. Empty for an
 * unknown category.
 */
export async function pageInCategory<C extends Collection & { lists: typeof listsInCategory }>(
  ledger: Ledger,
  collection: C,
  { tradeCategoryId, ...query }: PageQuery & { [Field in keyof InCategory]?: InCategory[Field] | undefined },
): Promise<Page<RecordOf<C>>> {
  if (tradeCategoryId === undefined) return pageByState(ledger, collection, query);
  const { isActive, ...page } = query;
  const ref = ledger.ref(categories, tradeCategoryId);
  const { owner, ...found } =
    isActive === undefined
      ? await ledger.ownedList(ref, collection, 'category', page)
      : await ledger.ownedList(ref, collection, 'categoryAndState', page, { name: stateName(isActive) });
  return found;
}

/** Key of the category of a service or product. A write that creates or deletes one changes its category's lists. */
export const categoryRef = ({
  tradeCategoryId,
}: Pick<InCategory, 'tradeCategoryId'>): RecordRef<typeof categories> => ({
  collection: categories,
  number: tradeCategoryId,
});

/**
 * Reads the categories that a change of a service or product affects. Reads the new and the old category if it moves,
 * only its category if `isActive` alone changes, otherwise none.
 * @throws Failure `invalid` if it moves to a category that does not exist, or is for records of another type
 */
export async function readChangingCategories(
  write: Write,
  type: CategoryType,
  before: InCategory,
  after: InCategory,
): Promise<void> {
  const isMoved = after.tradeCategoryId !== before.tradeCategoryId;
  if (!isMoved && after.isActive === before.isActive) return;
  const [category] = await Promise.all(
    (isMoved ? [after, before] : [after]).map((record) => write.read(categoryRef(record))),
  );
  if (!isMoved) return;
  if (!category) throw noCategory();
  checkCategory(category, type);
}
