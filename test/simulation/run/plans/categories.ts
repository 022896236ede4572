import type { OrganizationModel } from '../model/organization-model.ts';
import { inUse, invalid, noSuch, Refused } from '../model/refusal.ts';
import { listing } from '../pages.ts';
import { changing, once, removing, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someNumber, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';

/** Type of the records that a category is for. */
export type CategoryType = 'SERVICE' | 'PRODUCT';

/** Number of a category, usually of one for records of this type. */
export function someCategory(planner: Planner, type: CategoryType): number {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'CATEGORY');
  if (draw.happens(0.1) || organization.record('CATEGORY', number)?.['type'] === type) return number;
  const numbers = Array.from({ length: organization.lastOf('CATEGORY') }, (_, at) => at + 1);
  return numbers.find((one) => organization.record('CATEGORY', one)?.['type'] === type) ?? number;
}

/** @throws Refused if the category does not exist or is for records of another type */
export function checkCategory(category: Fields | undefined, type: CategoryType): void {
  if (!category) throw new Refused(noSuch('category', 'tradeCategoryId'));
  if (category['type'] === type) return;
  const message = `names a category of type ${String(category['type'])}, not of type ${type}`;
  throw new Refused(invalid({ field: 'tradeCategoryId', message }));
}

const maxCategories = 100;
const tooMany = invalid({ field: '', message: `An organization has at most ${maxCategories} categories` });

export function createCategory({ draw, organization }: Planner): Plan {
  const type: CategoryType = draw.happens(0.5) ? 'SERVICE' : 'PRODUCT';
  const given = { name: `Category ${draw.whole(1, 9)}`, type };
  const all = organization.collection('CATEGORY');
  return {
    operation: 'createCategory',
    organization,
    call: { endpoint: 'createCategory', body: JSON.stringify(given) },
    stages: once((change) => {
      if (all.count >= maxCategories) throw new Refused(tooMany);
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const category = change.append('CATEGORY', (id) => ({ id, ...given, ...stamps }));
      change.event('CATEGORY_CREATED', 'The category was created', category['id'] as number);
      return { category };
    }),
  };
}

/** Lists of what is in a category, by the label of its members. */
const membersOf = (organization: OrganizationModel, number: number) =>
  (['SERVICE', 'PRODUCT'] as const).map((collection) => {
    const partition = organization.partitionOf('gsi2', collection, { owner: ['CATEGORY', number] });
    return { label: collection.toLowerCase(), list: organization.list(partition) };
  });

const usedNow = (organization: OrganizationModel, number: number) =>
  membersOf(organization, number).flatMap(({ label, list }) => inUse('category', { [label]: list.count }));

export function updateCategory(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'CATEGORY');
  const { headers, tags } = someIfMatch(planner, 'category', number);
  const type: CategoryType = draw.happens(0.5) ? 'SERVICE' : 'PRODUCT';
  const given = draw.pick<Fields>([{}, { name: `Category ${draw.whole(1, 9)}` }, { type }]);
  const change = changing({
    ...{ collection: 'CATEGORY', number, label: 'category', tags },
    changed: (before) => ({ ...before, ...given }),
    store: (change, before, after) => {
      if (after['type'] !== before['type'])
        for (const refusal of usedNow(organization, number)) throw new Refused(refusal);
      const category = change.replace('CATEGORY', number, { ...after, updatedAt: change.now });
      change.event('CATEGORY_UPDATED', 'The category was changed', number);
      return category;
    },
  });
  return {
    operation: 'updateCategory',
    organization,
    call: {
      ...{ endpoint: 'updateCategory', params: { categoryId: String(number) } },
      ...{ body: JSON.stringify(given), headers },
    },
    ...change,
  };
}

export function deleteCategory(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'CATEGORY');
  const { headers, tags } = someIfMatch(planner, 'category', number);
  return {
    operation: 'deleteCategory',
    organization,
    call: { endpoint: 'deleteCategory', params: { categoryId: String(number) }, headers },
    ...removing({
      ...{ collection: 'CATEGORY', number, label: 'category', tags },
      used: () => usedNow(organization, number),
    }),
  };
}

/** Lists categories by id ascending. The service reads all, and does not always read the head. */
export function listCategories(planner: Planner): Plan {
  const list = planner.organization.collection('CATEGORY');
  return listing(planner, {
    ...{ operation: 'listCategories', list, states: (window) => window.statesByOwner(list) },
    ...{ collection: 'CATEGORY', key: 'categories', fromIndex: false, isAscending: true },
  });
}

export const plans: readonly WeightedPlan[] = [
  [createCategory, 0.7],
  [updateCategory, 0.7],
  [deleteCategory, 0.7],
  [listCategories, 1],
];
