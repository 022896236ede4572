import type { NewCategory } from '../../contract/categories.ts';
import type { NewFaq } from '../../contract/faqs.ts';
import type { WeekHours } from '../../contract/opening-hours.ts';
import type { NewPolicy } from '../../contract/policies.ts';
import type { NewProduct } from '../../contract/products.ts';
import type { NewService } from '../../contract/services.ts';
import type { NewTransfer } from '../../contract/transfers.ts';
import type { Write } from '../../ledger/index.ts';
import { addCategory, defaultCategories } from '../categories/categories.ts';
import { addFaq } from '../faqs/faqs.ts';
import { addPolicy } from '../policies/policies.ts';
import { addProduct } from '../products/products.ts';
import { addService } from '../services/services.ts';
import { addTransfer } from '../transfers/transfers.ts';

/** Hours and records that an organization begins with. Records refer to categories and services by name. */
export interface StartSet {
  /** Days that are left out have no hours. */
  openingHours: Partial<WeekHours>;
  categories: readonly NewCategory[];
  services: readonly InCategory<NewService>[];
  products: readonly InCategory<NewProduct>[];
  /** Destinations are in their stored form. */
  transfers: readonly (Omit<NewTransfer, 'scenarioId'> & { scenarioOfService?: string })[];
  policies: readonly NewPolicy[];
  faqs: readonly NewFaq[];
}

type InCategory<T> = Omit<T, 'tradeCategoryId'> & { category: string };

/** The default categories alone. */
export const emptySet: StartSet = {
  openingHours: {},
  categories: defaultCategories,
  services: [],
  products: [],
  transfers: [],
  policies: [],
  faqs: [],
};

/** Adds the records of a set to a new organization, as part of a write. */
export function addStartSet(write: Write, set: StartSet): void {
  const categories = byName(set.categories.map((category) => addCategory(write, category)));
  const services = byName(
    set.services.map(({ category: name, ...service }) => {
      const category = named(categories, name);
      return addService(write, { ...service, tradeCategoryId: category.id }, category);
    }),
  );
  for (const { category: name, ...product } of set.products) {
    const category = named(categories, name);
    addProduct(write, { ...product, tradeCategoryId: category.id }, category);
  }
  for (const { scenarioOfService: name, ...transfer } of set.transfers) {
    const scenarioId = name === undefined ? null : named(services, name).scenario.id;
    addTransfer(write, { ...transfer, scenarioId });
  }
  for (const policy of set.policies) addPolicy(write, policy);
  for (const faq of set.faqs) addFaq(write, faq);
}

const byName = <T extends { name: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
  new Map(records.map((record) => [record.name, record]));

/** @throws Error for a name that the set misspells */
function named<T>(records: ReadonlyMap<string, T>, name: string): T {
  const record = records.get(name);
  if (record === undefined) throw new Error(`The set has no ${name}`);
  return record;
}
