import { createCategory as storeCategory } from '../../../../shared/domain/categories/categories.ts';
import { invalid, noSuch, Refused, refusalsOf, type ErrorResponse } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { someNumber, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';

/** Type of the records that a category is for. */
type CategoryType = 'SERVICE' | 'PRODUCT';

export function createCategory({ draw, organization }: Planner): Plan {
  const input = { name: `Category ${draw.whole(1, 9)}`, type: draw.pick(['SERVICE', 'PRODUCT'] as const) };
  return {
    operation: 'createCategory',
    organization,
    call: { verb: (ledger) => storeCategory(ledger, input) },
    stages: once((change) => {
      const category = change.append('CATEGORY', (id) => ({ id, ...input, createdAt: change.now }));
      change.event('CATEGORY_CREATED', 'The category was created', category['id'] as number);
      return category;
    }),
  };
}

/** Number of a category, usually of one for records of this type. */
export function someCategory(planner: Planner, type: CategoryType): number {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'CATEGORY');
  if (draw.happens(0.1) || organization.record('CATEGORY', number)?.['type'] === type) return number;
  // Categories that every organization begins with.
  return type === 'SERVICE' ? 1 : 2;
}

/** @throws Refused if the category does not exist or is for records of another type */
export function checkCategory(category: Fields | undefined, type: CategoryType): void {
  if (!category) throw new Refused(noSuch('category', 'tradeCategoryId'));
  if (category['type'] === type) return;
  const message = `names a category of type ${String(category['type'])}, not of type ${type}`;
  throw new Refused(invalid({ field: 'tradeCategoryId', message }));
}

/** Possible errors for a record of this type because of its category, in the window. */
export const refusalsOfCategory = (window: Window, number: number, type: CategoryType): ErrorResponse[] =>
  window.records('CATEGORY', number).flatMap((category) =>
    refusalsOf(() => {
      checkCategory(category, type);
    }),
  );

export const plans: readonly WeightedPlan[] = [[createCategory, 0.7]];
