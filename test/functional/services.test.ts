import { describe, expect, test } from 'vitest';
import type { Service } from '../../shared/contract/services.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { newTransfer } from '../support/filled-records.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

/* `numbered-records.test.ts` has what services share with other kinds of records. */

const ours = await verifiedOrganization();
const { api } = ours;

let names = 0;
const newService = async (body: object, { api } = ours): Promise<Service> => {
  const least = { name: `Service ${++names}`, tradeCategoryId: 1 };
  return (await api.call('createService', { body: { ...least, ...body } })).service;
};

test('a service is created with its scenario, and read with it', async () => {
  const asked = { followUpQuestions: ['Where?', 'When?'], isActive: false };
  const { scenario, ...service } = await newService(asked);
  const shared = {
    id: scenario.id,
    response: '',
    questions: asked.followUpQuestions.map((question) => ({ question, answerOptions: [] })),
    outcome: { type: 'continueCall', property1: null, property2: null },
  };
  expect(scenario).toEqual(shared);
  const read = await api.call('getScenario', { params: { scenarioId: scenario.id } });
  expect(read.scenario).toEqual({
    ...shared,
    name: service.name,
    prompt: '',
    isActive: true,
    tradeServiceId: service.id,
    createdAt: service.createdAt,
    updatedAt: service.createdAt,
  });
  const whole = await api.call('getService', { params: { serviceId: service.id } });
  expect(whole).toEqual({ service: { ...service, scenario } });
  const newest = await newService({});
  const { body, cost } = await api.answer('listServices', { query: { limit: 2 } });
  expect([body.services, cost.calls]).toEqual([[newest, whole.service], 3]);
});

describe('the prices of a service', () => {
  test.each([
    { pricingMode: 'NONE' },
    { pricingMode: 'FIXED', fixedPrice: 180.5 },
    { pricingMode: 'HOURLY', hourlyRate: 120 },
    { pricingMode: 'RANGE', minPrice: 100, maxPrice: 250.25 },
  ])('are accepted: %j', async (prices) => {
    const none = { fixedPrice: 0, hourlyRate: 0, callOutFee: 0, minPrice: 0, maxPrice: 0 };
    expect(await newService(prices)).toMatchObject({ ...none, ...prices });
  });

  test.each<[prices: object, ...problems: string[]]>([
    [
      { pricingMode: 'NONE', hourlyRate: 1, minPrice: 1, maxPrice: 2 },
      ...['hourlyRate', 'minPrice', 'maxPrice'].map((field) => `${field} does not go with pricingMode NONE`),
    ],
    [{ pricingMode: 'FIXED' }, 'fixedPrice is required with pricingMode FIXED'],
    [{ pricingMode: 'HOURLY' }, 'hourlyRate is required with pricingMode HOURLY'],
    [
      { pricingMode: 'RANGE' },
      ...['minPrice', 'maxPrice'].map((field) => `${field} is required with pricingMode RANGE`),
    ],
    [{ pricingMode: 'RANGE', minPrice: 2, maxPrice: 1.99 }, 'maxPrice must be at least minPrice'],
  ])('are refused: %j', async (prices, ...problems) => {
    const body = { name: 'Never', tradeCategoryId: 1, ...prices };
    await api.refuses('createService', { body }, ...problems);
  });
});

const change = async (serviceId: number, body: object, { api } = ours) =>
  (await api.call('updateService', { params: { serviceId }, body })).service;

test('a change keeps prices of the mode, and sets those of another to 0', async () => {
  const { id } = await newService({ pricingMode: 'RANGE', minPrice: 100, maxPrice: 250, callOutFee: 80 });
  expect(await change(id, { maxPrice: 300 })).toMatchObject({ minPrice: 100, maxPrice: 300 });
  const fixed = { pricingMode: 'FIXED', fixedPrice: 180, minPrice: 0, maxPrice: 0, callOutFee: 80 };
  expect(await change(id, { pricingMode: 'FIXED', fixedPrice: 180 })).toMatchObject(fixed);
  const parts = (body: object) => ({ params: { serviceId: id }, body });
  const refuses = (body: object, problem: string) => api.refuses('updateService', parts(body), problem);
  await refuses({ pricingMode: 'HOURLY' }, 'hourlyRate is required with pricingMode HOURLY');
  await refuses({ minPrice: 1 }, 'minPrice does not go with pricingMode FIXED');
  await refuses({ pricingMode: 'RANGE', minPrice: 2, maxPrice: 1 }, 'maxPrice must be at least minPrice');
  expect(await change(id, {})).toMatchObject(fixed);
});

test('a service keeps its scenario when it changes, and takes it along when it goes', async () => {
  const { id: serviceId, scenario } = await newService({ followUpQuestions: ['Where?'] });
  const params = { scenarioId: scenario.id };
  await api.call('updateScenario', { params, body: { response: 'We come today.' } });
  const kept = { ...scenario, response: 'We come today.' };
  expect(await change(serviceId, { name: 'Renamed', followUpQuestions: [] })).toMatchObject({
    scenario: kept,
  });
  const body = { ...newTransfer, label: 'Floods', scenarioId: scenario.id };
  const { transfer } = await api.call('createTransfer', { body });
  expect(await api.failure('deleteService', 409, { params: { serviceId } })).toEqual({
    status: 409,
    message: 'The service is in use by 1 transfer',
    details: [{ field: 'transfers', message: '1 transfer uses it' }],
  });
  await api.call('deleteTransfer', { params: { transferId: transfer.id } });
  await api.call('deleteService', { params: { serviceId } });
  await api.lacks('getScenario', { params }, 'scenario');
  await newService({ name: 'Renamed' });
});

test('the services by category are listed for all categories, also empty ones and those of products, by id ascending', async () => {
  const { ours, theirs } = await twoOrganizations();
  const { ledger } = ours.openLedger();
  for (const name of ['Emergencies', 'Renovations']) await createCategory(ledger, { name, type: 'SERVICE' });
  await createCategory(ledger, { name: 'Parts', type: 'PRODUCT' });
  await newService({ name: 'Theirs' }, theirs);

  const switchedOff = {
    name: 'Switched off',
    tradeCategoryId: 4,
    description: 'Not now',
    duration: 90,
    followUpQuestions: ['When?', 'Why?'],
    isActive: false,
  };
  const services: Service[] = [];
  for (const body of [...[4, 3, 1, 3, 1, 3].map((tradeCategoryId) => ({ tradeCategoryId })), switchedOff])
    services.push(await newService(body, ours));
  const listed = (...ids: number[]) =>
    ids.map((id) => {
      const { name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive } =
        services[id - 1]!;
      return { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive };
    });
  const body = await ours.api.call('listOrganizationServices');
  expect(body).toEqual({
    categories: [
      { id: 1, name: 'Services', type: 'SERVICE', services: listed(3, 5) },
      { id: 2, name: 'Products', type: 'PRODUCT', services: [] },
      { id: 3, name: 'Emergencies', type: 'SERVICE', services: listed(2, 4, 6) },
      { id: 4, name: 'Renovations', type: 'SERVICE', services: listed(1, 7) },
      { id: 5, name: 'Parts', type: 'PRODUCT', services: [] },
    ],
    totalCategories: 5,
    totalServices: 7,
  });
  expect(body.categories[3]!.services[1]).toMatchObject(switchedOff);
});
