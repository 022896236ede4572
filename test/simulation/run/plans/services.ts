import { invalid, notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { inSpace, someName, someNumber, withNulls, type Planner } from '../planner.ts';
import { only, same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { checkCategory, refusalsOfCategory, someCategory } from './categories.ts';
import { takenIn } from './leads.ts';

/** Maximum number of services. Services are never deleted, so creation stops here. */
const maxServices = 400;
const tooMany = invalid({ field: '', message: `An organization has at most ${maxServices} services` });

const summary = (scenario: Fields) => only(scenario, 'id', 'response', 'questions', 'outcome');

const presets = {
  description: '',
  duration: 60,
  durationUnit: 'MINUTES',
  followUpQuestions: [] as string[],
  pricingMode: 'NONE',
  fixedPrice: 0,
  hourlyRate: 0,
  minPrice: 0,
  maxPrice: 0,
  callOutFee: 0,
  plusGST: false,
  plusMaterials: false,
  isCustomPriceResponseActive: false,
  customPriceResponse: null,
  isDisclosePrice: false,
  isActive: true,
  teamAssignmentMethod: 'PRIORITY_ORDER',
};

/** Creates a service, and its scenario. */
export function createService(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = {
    name: someName(planner, 'tap'),
    tradeCategoryId: someCategory(planner, 'SERVICE'),
    ...draw.pick([
      {},
      { pricingMode: 'FIXED', fixedPrice: 99.5 },
      { pricingMode: 'RANGE', minPrice: 10, maxPrice: 20 },
      {
        description: 'All of it',
        duration: 2,
        durationUnit: 'HOURS',
        followUpQuestions: ['Which?', 'When?'],
      },
    ]),
  };
  const fields = { ...presets, ...given };
  const category = given.tradeCategoryId;
  const body = withNulls(
    planner,
    { ...given, name: inSpace(planner, given.name) },
    ...['description', 'duration', 'followUpQuestions', 'pricingMode', 'callOutFee', 'customPriceResponse'],
  );
  return {
    operation: 'createService',
    organization,
    call: { endpoint: 'createService', body: JSON.stringify(body) },
    stages: once((change) => {
      checkCategory(change.get('CATEGORY', category), 'SERVICE');
      if (organization.collection('SERVICE').count >= maxServices) throw new Refused(tooMany);
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const id = change.next('SERVICE');
      const scenario = change.append('SCENARIO', (number) => ({
        id: number,
        name: fields.name,
        prompt: '',
        response: '',
        isActive: true,
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
      const possible = categoriesIn(window).flatMap((categories) =>
        servicesIn(window).map((services) => answerOf(window, categories, services)),
      );
      if (possible.some((one) => same(one, body))) return;
      throw new Violation('Each list of services must be the list at one version', {
        expected: possible.slice(0, 4),
        observed: body,
      });
    },
  };
}

const everything = { page: 1, limit: Infinity };

/**
 * Numbers of a collection at each version that a response may show. A version that was complete at the start
 * of the request must be included; later ones may be missing, since the service does not always read the
 * head.
 */
function numbersIn(window: Window, collection: string): number[][] {
  const list = window.organization.collection(collection);
  return window.statesByOwner(list).map(({ version }) => list.pageAt(version, everything).reverse());
}
const categoriesIn = (window: Window) => numbersIn(window, 'CATEGORY');
const servicesIn = (window: Window) => numbersIn(window, 'SERVICE');

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
