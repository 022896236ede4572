import { expect } from 'vitest';
import {
  createCategoryEndpoint,
  deleteCategoryEndpoint,
  listCategoriesEndpoint,
  updateCategoryEndpoint,
} from '../../shared/contract/categories.ts';
import { createCompanyEndpoint } from '../../shared/contract/companies.ts';
import { createCompanyNoteEndpoint, listCompanyNotesEndpoint } from '../../shared/contract/company-notes.ts';
import { deleteFaqEndpoint, listFaqsEndpoint, updateFaqEndpoint } from '../../shared/contract/faqs.ts';
import {
  createPolicyEndpoint,
  deletePolicyEndpoint,
  listPoliciesEndpoint,
  updatePolicyEndpoint,
} from '../../shared/contract/policies.ts';
import {
  deleteProductEndpoint,
  listProductsEndpoint,
  updateProductEndpoint,
} from '../../shared/contract/products.ts';
import { updateScenarioEndpoint } from '../../shared/contract/scenarios.ts';
import {
  createServiceEndpoint,
  deleteServiceEndpoint,
  listServicesEndpoint,
  updateServiceEndpoint,
} from '../../shared/contract/services.ts';
import { createTransferEndpoint, listTransfersEndpoint } from '../../shared/contract/transfers.ts';
import type { ApiClient } from '../support/api-client.ts';

const everything = { limit: 100 };

/** Completes what the trade's records began with: what the business offers, its rules, and a customer. */
export async function setUp(api: ApiClient): Promise<void> {
  const { categories } = await api.call(listCategoriesEndpoint, { query: everything });
  const { services } = await api.call(listServicesEndpoint, { query: everything });
  const idOf = (records: readonly { id: number; name: string }[], wanted: string) =>
    records.find(({ name }) => name === wanted)!.id;
  const category = (name: string) => ({ categoryId: idOf(categories, name) });
  const service = (name: string) => ({ serviceId: idOf(services, name) });

  // Prices, and what the assistant says.
  const price = { pricingMode: 'FIXED', fixedPrice: 180, plusGST: true, isDisclosePrice: true };
  const drain = await api.call(updateServiceEndpoint, { params: service('Blocked drain'), body: price });
  const scenarioId = drain.service.scenario.id;
  const outcome = { type: 'transferCall', property1: 'Emergencies' };
  await api.call(updateScenarioEndpoint, {
    params: { scenarioId },
    body: { response: 'We can clear it today.', outcome },
  });

  // No gas: the renovations take the room of the installations.
  await api.call(deleteServiceEndpoint, { params: service('Smell of gas') });
  const installations = category('Installations');
  const refused = await api.failure(deleteCategoryEndpoint, 409, { params: installations });
  expect(refused.details).toEqual([{ field: 'services', message: '2 services use it' }]);
  const body = { name: 'Renovations', type: 'SERVICE' };
  const { id: tradeCategoryId } = (await api.call(createCategoryEndpoint, { body })).category;
  for (const name of ['Dishwasher or washing machine', 'Bathroom or kitchen renovation'])
    await api.call(updateServiceEndpoint, { params: service(name), body: { tradeCategoryId } });
  await api.call(deleteCategoryEndpoint, { params: installations });
  await api.call(updateCategoryEndpoint, { params: category('Emergencies'), body: { name: 'Urgent' } });
  const hourly = { pricingMode: 'HOURLY', hourlyRate: 120 };
  await api.call(createServiceEndpoint, { body: { name: 'Rainwater tank', tradeCategoryId, ...hourly } });

  const { products } = await api.call(listProductsEndpoint, { query: everything });
  await api.call(deleteProductEndpoint, { params: { productId: idOf(products, 'Mixer tap') } });
  await api.call(updateProductEndpoint, {
    params: { productId: idOf(products, 'Hot water system') },
    body: { pricingType: 'RANGE', price: 1450, maxPrice: 1900, isActive: true },
  });

  // A rule keeps the service whose scenario it names.
  const rule = { label: 'Floods', method: 'WARM', destinationType: 'PHONE_NUMBER', scenarioId };
  const to = { destination: '0491 579 455', conditions: 'Water is running' };
  await api.call(createTransferEndpoint, { body: { ...rule, ...to } });
  await api.failure(deleteServiceEndpoint, 409, { params: service('Blocked drain') });

  // What is written is in use; what does not apply goes.
  const policies = (await api.call(listPoliciesEndpoint, { query: everything })).policies;
  const policy = (wanted: string) => ({ policyId: policies.find(({ title }) => title === wanted)!.id });
  const written = { content: 'Free until 24 hours before.', isActive: true };
  await api.call(updatePolicyEndpoint, { params: policy('Cancellations'), body: written });
  await api.call(deletePolicyEndpoint, { params: policy('Quotes') });
  await api.call(createPolicyEndpoint, { body: { title: 'Pets', content: 'Please keep dogs inside.' } });
  const [newest, ...others] = (await api.call(listFaqsEndpoint, { query: everything })).faqs;
  const answer = { answer: 'Turn the water off at the meter.', isActive: true };
  await api.call(updateFaqEndpoint, { params: { faqId: newest!.id }, body: answer });
  for (const { id: faqId } of others) await api.call(deleteFaqEndpoint, { params: { faqId } });

  const company = { name: 'Norwood Strata', phone: '0491 570 006', email: 'office@example.com' };
  const { id: companyId } = (await api.call(createCompanyEndpoint, { body: company })).company;
  const note = { value: 'Quotes by email, before noon.' };
  await api.call(createCompanyNoteEndpoint, { params: { companyId }, body: note });
  expect((await api.call(listCompanyNotesEndpoint, { params: { companyId } })).totalCount).toBe(1);
}

/** Names of all that the business offers and goes by, and that is in use, newest first. */
export async function offerOf(api: ApiClient) {
  const query = { ...everything, isActive: 'true' };
  const { categories } = await api.call(listCategoriesEndpoint, { query: everything });
  const offered: Record<string, string[]> = {};
  for (const { id: tradeCategoryId, name } of categories) {
    const given = { query: { ...query, tradeCategoryId } };
    const { services } = await api.call(listServicesEndpoint, given);
    const { products } = await api.call(listProductsEndpoint, given);
    offered[name] = [...services, ...products].map((one) => one.name);
  }
  const inUse = { query: { ...everything, isEnabled: 'true' } };
  return {
    ...offered,
    policies: (await api.call(listPoliciesEndpoint, { query })).policies.map(({ title }) => title),
    faqs: (await api.call(listFaqsEndpoint, { query })).faqs.map(({ question }) => question),
    transfers: (await api.call(listTransfersEndpoint, inUse)).transfers.map(({ label }) => label),
  };
}
