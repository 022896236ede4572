import * as v from 'valibot';
import { categories, checkCategory, listCategories, categoryRef } from '../categories/categories.ts';
import type { ServiceCategory } from '../../contract/organization.ts';
import { maxServices, Service, type NewService, type PricingMode } from '../../contract/services.ts';
import type { Collection, RecordOf } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { PriceCheck } from '../pricing/price-check.ts';
import { addScenarioOfService, getScenarioOf, toSummary } from '../scenarios/scenarios.ts';
import { invalid } from '../../core/failure.ts';

const { scenario, ...entries } = Service.entries;

/** A service as it is stored: its scenario is a record of its own. */
export const services = {
  name: 'SERVICE',
  label: 'service',
  schema: v.object({ ...entries, scenarioId: v.number() }),
  // No two live services of a category have the same name.
  uniques: ({ name, tradeCategoryId }: Pick<Service, 'name' | 'tradeCategoryId'>) => [
    { field: 'name', value: name, within: { collection: categories, number: tradeCategoryId } },
  ],
} as const satisfies Collection;

type ServiceRecord = RecordOf<typeof services>;

/** One service, with its scenario. Two round trips. @throws Failure `notFound` */
export async function getService(ledger: Ledger, serviceId: number): Promise<Service> {
  const { scenarioId, ...service } = await ledger.get(ledger.ref(services, serviceId));
  return { ...service, scenario: toSummary(await getScenarioOf(ledger, scenarioId)) };
}

/** Every category with its services, all by id ascending. One round trip for each MB of them. */
export async function listServicesByCategory(ledger: Ledger): Promise<ServiceCategory[]> {
  const [inOrder, all] = await Promise.all([listCategories(ledger), ledger.all(services)]);
  const byCategory = Map.groupBy(all, ({ tradeCategoryId }) => tradeCategoryId);
  return inOrder.map(({ id, name, type }) => ({
    id,
    name,
    type,
    services: (byCategory.get(id) ?? []).map(toListed),
  }));
}

/**
 * Creates a service, and the scenario that it starts with. One transaction.
 * @throws Failure `invalid` for a category that is not there, or not for services, for prices that do not go with the pricing mode, and for
 * one service too many; Failure `conflict` for a name that a live service of the category has.
 */
export async function createService(ledger: Ledger, input: NewService): Promise<Service> {
  const ref = categoryRef(ledger, input.tradeCategoryId);
  const fields = withPresets(input);
  return ledger.write({ check: { category: ref } }, (write, { category }) => {
    checkCategory(category, 'SERVICE');
    if (write.count(services) >= maxServices) {
      throw invalid([{ field: '', message: `An organization has at most ${maxServices} services` }]);
    }
    const { number: id } = write.next(services);
    const scenario = addScenarioOfService(write, { tradeServiceId: id, ...fields });
    const stamps = { createdAt: write.now, updatedAt: write.now };
    write.append(services, () => ({ id, ...fields, scenarioId: scenario.id, ...stamps }));
    write.event({ event: 'SERVICE_CREATED', data: 'The service was created', referenceId: String(id) });
    return { id, ...fields, scenario: toSummary(scenario), ...stamps };
  });
}

type Writable = Omit<ServiceRecord, 'id' | 'scenarioId' | 'createdAt' | 'updatedAt'>;

/** Which of the prices go with which mode; the call-out fee goes with any. */
const pricesOfMode = {
  NONE: [],
  FIXED: ['fixedPrice'],
  HOURLY: ['hourlyRate'],
  RANGE: ['minPrice', 'maxPrice'],
} as const satisfies Record<PricingMode, readonly (keyof NewService)[]>;

/** Everything that a client can give, with what stands where it did not. @throws Failure `invalid` for the prices. */
function withPresets(input: NewService): Writable {
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
