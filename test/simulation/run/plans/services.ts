import { invalid, noSuch, notFound, Refused, refusalsOf, type ErrorResponse } from '../model/refusal.ts';
import { takenIn } from '../model/uniques.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { someName, someNumber, type Planner } from '../planner.ts';
import { only, type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';

/** Type of the records that a category is for. */
type CategoryType = 'SERVICE' | 'PRODUCT';

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

/** Maximum number of services. Services are never deleted, so creation stops here. */
const maxServices = 400;
const tooMany = invalid({ field: '', message: `An organization has at most ${maxServices} services` });

const summary = (scenario: Fields) => only(scenario, 'id', 'response', 'questions', 'outcome');

const presets = {
  ...{ description: '', duration: 60, durationUnit: 'MINUTES', followUpQuestions: [] as string[] },
  ...{ pricingMode: 'NONE', fixedPrice: 0, hourlyRate: 0, minPrice: 0, maxPrice: 0, callOutFee: 0 },
  ...{ plusGST: false, plusMaterials: false, isCustomPriceResponseActive: false, customPriceResponse: null },
  ...{ isDisclosePrice: false, isActive: true, teamAssignmentMethod: 'PRIORITY_ORDER' },
};

/** Creates a service, and its scenario. */
export function createService(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = {
    name: someName(planner, 'tap'),
    tradeCategoryId: someCategory(planner, 'SERVICE'),
    ...draw.pick([{}, { description: 'All of it', followUpQuestions: ['Which?', 'When?'] }]),
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
    refusals: (window) => [
      ...refusalsOfCategory(window, category, 'SERVICE'),
      ...(organization.collection('SERVICE').count >= maxServices ? [tooMany] : []),
      ...takenIn(window, 'SERVICE', fields),
    ],
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
      window.present('SERVICE', number).map(({ scenarioId, ...service }) => {
        const scenario = organization.record('SCENARIO', Number(scenarioId));
        return { service: { ...service, scenario: summary(scenario!) } };
      }),
    refusals: (window) => (window.canMiss('SERVICE', number) ? [notFound('service')] : []),
  };
}

/** Lists everything by category. The two lists may be of two versions; each must be of one. */
export function listOrganizationServices(planner: Planner): Plan {
  const { organization } = planner;
  return {
    operation: 'listOrganizationServices',
    organization,
    call: { endpoint: 'listOrganizationServices' },
    check: (body, window) => {
      const possible = numbersIn(window, 'CATEGORY').flatMap((categories) =>
        numbersIn(window, 'SERVICE').map((services) => answerOf(window, categories, services)),
      );
      checkOneOf('Each list of services must be the list at one version', possible, body);
    },
  };
}

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

function answerOf({ organization }: Window, categories: number[], services: number[]): Fields {
  const all = services.map((number) => organization.record('SERVICE', number)!);
  const shown = categories.map((number) => ({
    ...only(organization.record('CATEGORY', number)!, 'id', 'name', 'type'),
    services: all
      .filter(({ tradeCategoryId }) => tradeCategoryId === number)
      .map((service) =>
        only(
          service,
          ...['id', 'name', 'description', 'duration', 'followUpQuestions', 'tradeCategoryId'],
          ...['createdAt', 'isActive'],
        ),
      ),
  }));
  const totalServices = shown.reduce((sum, category) => sum + category.services.length, 0);
  return { categories: shown, totalCategories: shown.length, totalServices };
}

export const plans: readonly WeightedPlan[] = [
  [createService, 2],
  [getService, 2],
  [listOrganizationServices, 2],
];
