import * as v from 'valibot';
import { allCategories, categories, categoryNamed, checkCategory } from '../categories/categories.ts';
import { listsInCategory } from '../categories/in-category.ts';
import type { Category } from '../../contract/categories.ts';
import type { ServiceCategory } from '../../contract/organization.ts';
import {
  maxServices,
  Service,
  serviceLabel,
  type NewService,
  type PricingMode,
} from '../../contract/services.ts';
import { PriceCheck } from '../pricing/price-check.ts';
import { addScenarioOfService, getScenarioOf, toSummary } from '../scenarios/scenarios.ts';
import { invalid } from '../../core/failure.ts';
import type { Collection, Ledger, RecordOf, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

const { scenario, ...entries } = Service.entries;

/** A service as stored. Its scenario is a record of its own. */
export const services = {
  name: 'SERVICE',
  label: serviceLabel,
  schema: v.object({ ...entries, scenarioId: v.number() }),
  // Names are unique among the live services of a category.
  uniques: ({ name, tradeCategoryId }: Pick<Service, 'name' | 'tradeCategoryId'>) => [
    { field: 'name', value: name, within: { collection: categories, number: tradeCategoryId } },
  ],
  lists: listsInCategory,
} as const satisfies Collection;

type ServiceRecord = RecordOf<typeof services>;

/** One service, with its scenario. Two round trips. @throws Failure `notFound` */
export async function getService(ledger: Ledger, serviceId: number): Promise<Service> {
  const { scenarioId, ...service } = await ledger.get(ledger.ref(services, serviceId));
  return { ...service, scenario: toSummary(await getScenarioOf(ledger, scenarioId)) };
}

/** Every category with its services, by id ascending. One round trip for each MB. */
export async function listServicesByCategory(ledger: Ledger): Promise<ServiceCategory[]> {
  const [inOrder, all] = await Promise.all([allCategories(ledger), ledger.all(services)]);
  const byCategory = Map.groupBy(all, ({ tradeCategoryId }) => tradeCategoryId);
  return inOrder.map(({ id, name, type }) => ({
    id,
    name,
    type,
    services: (byCategory.get(id) ?? []).map(toListed),
  }));
}

/**
 * Creates a service and its scenario. One transaction.
 * @throws Failure `invalid` for a category that does not exist or is not for services, for prices that do not
 * fit the pricing mode, or beyond `maxServices`; `conflict` if a live service of the category has the name
 */
export async function createService(ledger: Ledger, input: NewService): Promise<Service> {
  const category = categoryNamed(ledger, input.tradeCategoryId);
  return ledger.write({ change: { category } }, (write, { category }) => {
    const service = addService(write, input, category);
    recordEvent(write, { event: 'SERVICE_CREATED', about: service.id });
    return service;
  });
}

/** Creates a service and its scenario, as part of a write. @throws Failure `invalid` as `createService` does */
export function addService(write: Write, input: NewService, category: Category): Service {
  const fields = withDefaults(input);
  checkCategory(category, 'SERVICE');
  if (write.count(services) >= maxServices) {
    throw invalid([{ field: '', message: `An organization has at most ${maxServices} services` }]);
  }
  const { number: id } = write.next(services);
  const scenario = addScenarioOfService(write, { tradeServiceId: id, ...fields });
  const stamps = { createdAt: write.now, updatedAt: write.now };
  write.append(services, () => ({ id, ...fields, scenarioId: scenario.id, ...stamps }));
  return { id, ...fields, scenario: toSummary(scenario), ...stamps };
}

type Writable = Omit<ServiceRecord, 'id' | 'scenarioId' | 'createdAt' | 'updatedAt'>;

/** Prices that each mode has. The call-out fee goes with any. */
const pricesOfMode = {
  NONE: [],
  FIXED: ['fixedPrice'],
  HOURLY: ['hourlyRate'],
  RANGE: ['minPrice', 'maxPrice'],
} as const satisfies Record<PricingMode, readonly (keyof NewService)[]>;

/** Completes the input with defaults. @throws Failure `invalid` for the prices */
function withDefaults(input: NewService): Writable {
  const { name, tradeCategoryId, pricingMode = 'NONE' } = input;
  const check = new PriceCheck(`pricingMode ${pricingMode}`, pricesOfMode[pricingMode]);
  const prices = {
    fixedPrice: check.price('fixedPrice', input.fixedPrice),
    hourlyRate: check.price('hourlyRate', input.hourlyRate),
    minPrice: check.price('minPrice', input.minPrice),
    maxPrice: check.price('maxPrice', input.maxPrice),
  };
  check.finish({ field: 'minPrice', price: prices.minPrice }, { field: 'maxPrice', price: prices.maxPrice });
  return {
    name,
    tradeCategoryId,
    description: input.description ?? '',
    duration: input.duration ?? 60,
    durationUnit: input.durationUnit ?? 'MINUTES',
    followUpQuestions: input.followUpQuestions ?? [],
    pricingMode,
    ...prices,
    callOutFee: input.callOutFee ?? 0,
    plusGST: input.plusGST ?? false,
    plusMaterials: input.plusMaterials ?? false,
    isCustomPriceResponseActive: input.isCustomPriceResponseActive ?? false,
    customPriceResponse: input.customPriceResponse ?? null,
    isDisclosePrice: input.isDisclosePrice ?? false,
    isActive: input.isActive ?? true,
    teamAssignmentMethod: input.teamAssignmentMethod ?? 'PRIORITY_ORDER',
  };
}

function toListed(service: ServiceRecord): ServiceCategory['services'][number] {
  const { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive } =
    service;
  return { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive };
}
