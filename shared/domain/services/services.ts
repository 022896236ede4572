import * as v from 'valibot';
import { allCategories, categories, categoryNamed, checkCategory } from '../categories/categories.ts';
import {
  categoryRef,
  listsInCategory,
  pageInCategory,
  readChangingCategories,
} from '../categories/in-category.ts';
import type { Category } from '../../contract/categories.ts';
import type { ServiceCategory } from '../../contract/organization.ts';
import {
  maxServices,
  Service,
  serviceLabel,
  type NewService,
  type PricingMode,
  type ServiceChanges,
} from '../../contract/services.ts';
import { currencyFor } from '../pricing/currency.ts';
import { PriceCheck } from '../pricing/price-check.ts';
import type { CatalogPageQuery } from '../../contract/pagination.ts';
import type { Scenario } from '../../contract/scenarios.ts';
import { transfers } from '../transfers/transfers.ts';
import { addScenarioOfService, getScenarioOf, scenarios, toSummary } from '../scenarios/scenarios.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { invalid, notFound, refuseInUse } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { storeChange } from '../records/change-record.ts';

const { scenario, ...entries } = Service.entries;

/** A service as stored. Its scenario is a separate record. */
export const services = {
  name: 'SERVICE',
  label: serviceLabel,
  schema: v.object({ ...entries, scenarioId: v.number() }),
  isConfiguration: true,
  // Names are unique among the live services of a category.
  uniques: ({ name, tradeCategoryId }: Pick<Service, 'name' | 'tradeCategoryId'>) => [
    {
      field: 'name',
      value: name,
      isName: true,
      within: { collection: categories, number: tradeCategoryId },
    },
  ],
  lists: listsInCategory,
} as const satisfies Collection;

type ServiceRecord = RecordOf<typeof services>;

/**
 * Page of the services with their scenarios, newest first: all, or selected by category, by `isActive`, or by both. Two
 * round trips for the first page.
 */
export async function listServices(ledger: Ledger, query: CatalogPageQuery): Promise<Page<Service>> {
  const { items, ...page } = await ledger.withReferenced(
    () => pageInCategory(ledger, services, query),
    scenarios,
    ({ scenarioId }) => scenarioId,
  );
  return { ...page, items: items.map(({ record, referenced }) => toService(record, referenced)) };
}

/** One service, with its scenario. Two round trips. @throws Failure `notFound` */
export async function getService(ledger: Ledger, serviceId: number): Promise<Service> {
  const ref = ledger.ref(services, serviceId);
  const service = await ledger.get(ref);
  try {
    return toService(service, await getScenarioOf(ledger, service.scenarioId));
  } catch (error) {
    // Both may have been deleted meanwhile. Plain reads may show the service a little longer.
    await ledger.getSettled(ref);
    throw error;
  }
}

/** Every category with its services, by id ascending. One round trip for each MB. */
export async function listOrganizationServices(ledger: Ledger): Promise<ServiceCategory[]> {
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
 * @throws Failure `invalid` for a category that does not exist or is not for services, for prices that do not fit the
 * mode, or beyond `maxServices`
 * @throws Failure `conflict` if a live service of the category has the name
 */
export async function createService(ledger: Ledger, input: NewService): Promise<Service> {
  const category = categoryNamed(ledger, input.tradeCategoryId);
  return ledger.write({ change: { category } }, async (write, { category }) => {
    const currency = await currencyFor(write, amountFields, input);
    const service = addService(write, input, category, currency);
    recordEvent(write, { event: 'SERVICE_CREATED', about: service.id });
    return service;
  });
}

/**
 * Creates a service and its scenario, as part of a write. `currency` is what its prices are checked against.
 * @throws Failure `invalid` as `createService` does
 */
export function addService(write: Write, input: NewService, category: Category, currency?: string): Service {
  const fields = withDefaults(input, currency);
  checkCategory(category, 'SERVICE');
  if (write.count(services) >= maxServices) {
    throw invalid([{ field: '', message: `An organization has at most ${maxServices} services` }]);
  }
  const { number: id } = write.next(services);
  const scenario = addScenarioOfService(write, { tradeServiceId: id, ...fields });
  const stamps = { createdAt: write.now, updatedAt: write.now };
  const { record } = write.append(services, () => ({ id, ...fields, scenarioId: scenario.id, ...stamps }));
  return toService(record, scenario);
}

/**
 * Changes a service, but not its scenario. One transaction, or none if nothing changes.
 * @throws Failure `notFound` for the service; as `refuseOutdated` does; otherwise as `createService`
 */
export async function updateService(
  ledger: Ledger,
  serviceId: number,
  changes: ServiceChanges,
  { refuseOutdated }: ChangeConditions<Service> = {},
): Promise<Service> {
  const ref = ledger.ref(services, serviceId);
  return ledger.write({ change: { service: ref } }, async (write, { service: before }) => {
    const scenario = await write.check(scenarioRef(before));
    // Another writer has just deleted both.
    if (!scenario) throw notFound(services.label);
    refuseOutdated?.(toService(before, scenario));
    const merged = merge(before, changes);
    const currency = await currencyFor(write, amountFields, changes, before);
    const after = { ...merged, ...pricesOf(merged.pricingMode, changes, { before, currency }) };
    await readChangingCategories(write, 'SERVICE', before, after);
    const event = { event: 'SERVICE_UPDATED', about: serviceId } as const;
    return toService(storeChange(write, ref, { before, after }, event), scenario);
  });
}

/**
 * Deletes a service and its scenario. One transaction.
 * @throws Failure `notFound`; as `refuseOutdated` does; `conflict` while transfer rules name the scenario
 */
export function deleteService(
  ledger: Ledger,
  serviceId: number,
  { refuseOutdated }: ChangeConditions<Service> = {},
): Promise<void> {
  const ref = ledger.ref(services, serviceId);
  return ledger.write({ change: { service: ref } }, async (write, { service }) => {
    const ofService = scenarioRef(service);
    // The category owns lists that the service leaves.
    const [scenario] = await Promise.all([write.read(ofService), write.read(categoryRef(service))]);
    // Another writer has just deleted both.
    if (!scenario) throw notFound(services.label);
    refuseOutdated?.(toService(service, scenario));
    refuseInUse(services.label, { [transfers.label]: write.membersOf(ofService, transfers, 'scenario') });
    write.remove(ref);
    write.remove(ofService);
    recordEvent(write, { event: 'SERVICE_DELETED', about: serviceId });
  });
}

const scenarioRef = ({ scenarioId }: ServiceRecord): RecordRef<typeof scenarios> => ({
  collection: scenarios,
  number: scenarioId,
});

const toService = ({ scenarioId, ...service }: ServiceRecord, scenario: Scenario): Service => ({
  ...service,
  scenario: toSummary(scenario),
});

type Writable = Omit<ServiceRecord, 'id' | 'scenarioId' | 'createdAt' | 'updatedAt'>;

/** Prices that each mode has. The call-out fee goes with any mode. */
const pricesOfMode = {
  NONE: [],
  FIXED: ['fixedPrice'],
  HOURLY: ['hourlyRate'],
  RANGE: ['minPrice', 'maxPrice'],
} as const satisfies Record<PricingMode, readonly (keyof NewService)[]>;

const amountFields = ['fixedPrice', 'hourlyRate', 'minPrice', 'maxPrice', 'callOutFee'] as const;
type Amounts = Record<(typeof amountFields)[number], number>;

/**
 * The prices of this mode, as given, otherwise as before if they applied then; and the call-out fee.
 * @throws Failure `invalid`
 */
function pricesOf(
  mode: PricingMode,
  given: { [Field in keyof Amounts]?: number | undefined },
  { before, currency }: { before?: ServiceRecord; currency: string | undefined },
): Amounts {
  const check = new PriceCheck(`pricingMode ${mode}`, pricesOfMode[mode], { currency });
  const appliedBefore: readonly string[] = before ? pricesOfMode[before.pricingMode] : [];
  const priceOf = (field: Exclude<keyof Amounts, 'callOutFee'>) =>
    check.price(field, given[field], appliedBefore.includes(field) ? before?.[field] : undefined);
  const prices = {
    fixedPrice: priceOf('fixedPrice'),
    hourlyRate: priceOf('hourlyRate'),
    minPrice: priceOf('minPrice'),
    maxPrice: priceOf('maxPrice'),
    callOutFee: check.amount('callOutFee', given.callOutFee, before?.callOutFee) ?? 0,
  };
  check.finish({ field: 'minPrice', price: prices.minPrice }, { field: 'maxPrice', price: prices.maxPrice });
  return prices;
}

/** Completes the input with defaults. @throws Failure `invalid` for the prices */
function withDefaults(input: NewService, currency: string | undefined): Writable {
  const { name, tradeCategoryId, pricingMode = 'NONE' } = input;
  const prices = pricesOf(pricingMode, input, { currency });
  return {
    name,
    tradeCategoryId,
    description: input.description ?? '',
    duration: input.duration ?? 60,
    durationUnit: input.durationUnit ?? 'MINUTES',
    followUpQuestions: input.followUpQuestions ?? [],
    pricingMode,
    ...prices,
    plusGST: input.plusGST ?? false,
    plusMaterials: input.plusMaterials ?? false,
    isCustomPriceResponseActive: input.isCustomPriceResponseActive ?? false,
    customPriceResponse: input.customPriceResponse ?? null,
    isDisclosePrice: input.isDisclosePrice ?? false,
    isActive: input.isActive ?? true,
    teamAssignmentMethod: input.teamAssignmentMethod ?? 'PRIORITY_ORDER',
    bufferBefore: input.bufferBefore ?? 0,
    bufferAfter: input.bufferAfter ?? 0,
    leastNotice: input.leastNotice ?? 0,
    furthestDay: input.furthestDay ?? 90,
  };
}

function toListed(service: ServiceRecord): ServiceCategory['services'][number] {
  const { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive } =
    service;
  return { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive };
}
