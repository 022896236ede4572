import type { OrganizationModel } from '../model/organization-model.ts';
import { inUse, invalid, notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { listInCategory } from '../pages.ts';
import { changing, once, removing, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someName, someNumber, type Planner } from '../planner.ts';
import { only, without, type Fields } from '../same.ts';
import { checkCategory, someCategory } from './categories.ts';
import { checkOneOf } from '../violation.ts';

/** Maximum number of services. */
const maxServices = 400;
const tooMany = invalid({ field: '', message: `An organization has at most ${maxServices} services` });

export const summary = (scenario: Fields) => only(scenario, 'id', 'response', 'questions', 'outcome');

const presets = {
  ...{ description: '', duration: 60, durationUnit: 'MINUTES', followUpQuestions: [] as string[] },
  ...{ pricingMode: 'NONE', fixedPrice: 0, hourlyRate: 0, minPrice: 0, maxPrice: 0, callOutFee: 0 },
  ...{ plusGST: false, plusMaterials: false, isCustomPriceResponseActive: false, customPriceResponse: null },
  ...{ isDisclosePrice: false, isActive: true, teamAssignmentMethod: 'PRIORITY_ORDER' },
  ...{ bufferBefore: 0, bufferAfter: 0, leastNotice: 0, furthestDay: 90 },
};

/** Fields that decide when a service can be booked, and who is proposed. */
const someTimes = ({ draw }: Planner) =>
  draw.pick<Fields>([
    {},
    { duration: 45, bufferBefore: 15, bufferAfter: 60 },
    { duration: 2, durationUnit: 'HOURS', teamAssignmentMethod: 'ROUND_ROBIN' },
    { duration: 2, durationUnit: 'DAYS', bufferAfter: 1440 },
  ]);

/** Creates a service, and its scenario. */
export function createService(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = {
    name: someName(planner, 'tap'),
    tradeCategoryId: someCategory(planner, 'SERVICE'),
    ...draw.pick([{}, { description: 'All of it', followUpQuestions: ['Which?', 'When?'] }]),
    ...someTimes(planner),
  };
  const fields = { ...presets, ...given };
  const category = given.tradeCategoryId;
  return {
    operation: 'createService',
    organization,
    call: { endpoint: 'createService', body: JSON.stringify(given) },
    stages: once((change) => {
      checkCategory(change.get('CATEGORY', category), 'SERVICE');
      if (organization.collection('SERVICE').count >= maxServices) throw new Refused(tooMany);
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const id = change.next('SERVICE');
      const scenario = change.append('SCENARIO', (number) => ({
        ...{ id: number, name: fields.name, prompt: '', response: '', isActive: true },
        questions: fields.followUpQuestions.map((question) => ({ question, answerOptions: [] })),
        outcome: { type: 'continueCall', property1: null, property2: null },
        tradeServiceId: id,
        ...stamps,
      }));
      change.append('SERVICE', () => ({ id, ...fields, scenarioId: scenario['id'], ...stamps }));
      change.event('SERVICE_CREATED', 'The service was created', id);
      return { service: { id, ...fields, scenario: summary(scenario), ...stamps } };
    }),
  };
}

export function getService(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'SERVICE');
  return {
    operation: 'getService',
    organization,
    call: { endpoint: 'getService', params: { serviceId: String(number) } },
    unchanged: (window) =>
      window
        .present('SERVICE', number)
        .flatMap((service) => shownIn(service, window))
        .map((service) => ({ service })),
    refusals: (window) => (window.canMiss('SERVICE', number) ? [notFound('service')] : []),
  };
}

/** Service as the API shows it, with a scenario as it was in the window. */
const shownIn = ({ scenarioId, ...service }: Fields, window: Window): Fields[] =>
  window
    .present('SCENARIO', Number(scenarioId))
    .map((scenario) => ({ ...service, scenario: summary(scenario) }));

/** Functions that show services of an organization, for `changing` and `removing`. */
const showing = (organization: OrganizationModel) => ({
  shown: ({ scenarioId, ...service }: Fields) => ({
    ...service,
    scenario: summary(organization.record('SCENARIO', Number(scenarioId))!),
  }),
  shownIn,
});

export function updateService(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'SERVICE');
  const { headers, tags } = someIfMatch(planner, 'service', number);
  const given: Fields = {
    ...(draw.happens(0.4) && { name: someName(planner, 'tap') }),
    ...(draw.happens(0.3) && { tradeCategoryId: someCategory(planner, 'SERVICE') }),
    ...(draw.happens(0.3) && { isActive: draw.happens(0.5) }),
    ...(draw.happens(0.3) && { description: `Version ${draw.whole(1, 40)}` }),
    ...(draw.happens(0.2) && someTimes(planner)),
  };
  const category = given['tradeCategoryId'] as number | undefined;
  const change = changing({
    ...{ collection: 'SERVICE', number, label: 'service', tags, ...showing(organization) },
    changed: (before) => ({ ...before, ...given }),
    store: (change, before, after) => {
      if (category !== undefined && category !== before['tradeCategoryId'])
        checkCategory(change.get('CATEGORY', category), 'SERVICE');
      const service = change.replace('SERVICE', number, { ...after, updatedAt: change.now });
      change.event('SERVICE_UPDATED', 'The service was changed', number);
      return service;
    },
  });
  return {
    operation: 'updateService',
    organization,
    call: {
      ...{ endpoint: 'updateService', params: { serviceId: String(number) } },
      ...{ body: JSON.stringify(given), headers },
    },
    ...change,
  };
}

/** Deletes a service with its scenario, unless transfer rules name that. */
export function deleteService(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'SERVICE');
  const { headers, tags } = someIfMatch(planner, 'service', number);
  const transfersOf = ({ scenarioId }: Fields) => {
    const owner = ['SCENARIO', Number(scenarioId)] as const;
    return organization.list(organization.partitionOf('gsi2', 'TRANSFER', { owner }));
  };
  const refusal = (transfer: number) => inUse('service', { transfer });
  return {
    operation: 'deleteService',
    organization,
    call: { endpoint: 'deleteService', params: { serviceId: String(number) }, headers },
    ...removing({
      ...{ collection: 'SERVICE', number, label: 'service', tags, ...showing(organization) },
      used: (service) => refusal(transfersOf(service).count),
      removeMore: (change, { scenarioId }) => {
        change.remove('SCENARIO', Number(scenarioId));
      },
    }),
  };
}

/** Lists services, each with its scenario, which is read after the page. */
export const listServices = (planner: Planner): Plan =>
  listInCategory(planner, 'listServices', {
    ...{ collection: 'SERVICE', key: 'services', shown: (service) => without(service, 'scenarioId') },
    compared: ({ scenario, ...service }, window) => {
      const [stored] = window.present('SERVICE', Number(service['id']), { fromIndex: true });
      const scenarios = window.present('SCENARIO', Number(stored?.['scenarioId']));
      checkOneOf('A service must have its scenario', scenarios.map(summary), scenario);
      return service;
    },
  });

/** Lists everything by category. The two lists may be of two versions; each must be of one. */
export function listOrganizationServices(planner: Planner): Plan {
  const { organization } = planner;
  return {
    operation: 'listOrganizationServices',
    organization,
    call: { endpoint: 'listOrganizationServices' },
    check: (body, window) => {
      const { categories, ...totals } = body as Fields & { categories: (Fields & { services: Fields[] })[] };
      const services = categories.flatMap((category) => category.services);
      const expected = { totalCategories: categories.length, totalServices: services.length };
      checkOneOf('The totals must be those of the listing', [expected], totals);
      const ids = categories.map(({ id }) => id as number);
      checkOneOf('The categories must be those of one version', numbersIn(window, 'CATEGORY'), ids);
      for (const { services, ...category } of categories) {
        const values = window.present('CATEGORY', Number(category['id']));
        checkOneOf('A category must be as it was', values.map(shownCategory), category);
        const order = services.map(({ id }) => Number(id));
        checkOneOf('Services must be by id', [order.toSorted((one, other) => one - other)], order);
        for (const service of services) {
          const ofCategory = window.present('SERVICE', Number(service['id'])).map(shownInCategory);
          const values = ofCategory.filter(({ tradeCategoryId }) => tradeCategoryId === category['id']);
          checkOneOf('A service must be as it was', values, service);
        }
      }
      // A service whose category is not listed yet is not listed either.
      const isListed = (number: number) =>
        window
          .present('SERVICE', number)
          .every((service) => ids.includes(Number(service['tradeCategoryId'])));
      const found = services.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
      const possible = numbersIn(window, 'SERVICE').map((numbers) =>
        numbers.filter((number) => found.includes(number) || isListed(number)),
      );
      checkOneOf('The services must be those of one version', possible, found);
    },
  };
}

const shownCategory = (category: Fields) => only(category, 'id', 'name', 'type');
const shownInCategory = (service: Fields) =>
  only(
    service,
    ...['id', 'name', 'description', 'duration', 'followUpQuestions', 'tradeCategoryId'],
    ...['createdAt', 'isActive'],
  );

/**
 * Numbers of a collection at each version that a response may show. A version that was complete at the start
 * of the request must be included; later ones may be missing, since the service does not always read the
 * head.
 */
function numbersIn(window: Window, collection: string): number[][] {
  const list = window.organization.collection(collection);
  const everything = { page: 1, limit: Infinity };
  return window.statesByOwner(list).map(({ version }) => list.pageAt(version, everything).reverse());
}

export const plans: readonly WeightedPlan[] = [
  [createService, 3],
  [updateService, 4],
  [deleteService, 2],
  [listServices, 3],
  [getService, 2],
  [listOrganizationServices, 2],
];
