import { describe, expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { trades } from '../../infra/trades/trades.ts';
import { listCompanyNotesEndpoint } from '../../shared/contract/company-notes.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { createFaqEndpoint } from '../../shared/contract/faqs.ts';
import { getInquiryEndpoint, listInquiriesEndpoint } from '../../shared/contract/inquiries.ts';
import {
  createLeadEndpoint,
  deleteLeadEndpoint,
  listLeadActivitiesEndpoint,
  listLeadsEndpoint,
} from '../../shared/contract/leads.ts';
import { getOpenApiEndpoint } from '../../shared/contract/open-api.ts';
import { listMembersEndpoint, listOrganizationServicesEndpoint } from '../../shared/contract/organization.ts';
import { listPoliciesEndpoint, updatePolicyEndpoint } from '../../shared/contract/policies.ts';
import {
  createProductEndpoint,
  updateProductEndpoint,
  updateProductsEndpoint,
} from '../../shared/contract/products.ts';
import { getScenarioEndpoint } from '../../shared/contract/scenarios.ts';
import { createServiceEndpoint, getServiceEndpoint } from '../../shared/contract/services.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { createTransferEndpoint, updateTransferEndpoint } from '../../shared/contract/transfers.ts';
import { newOrganization } from '../support/test-organization.ts';
import type { TestedRequest } from '../support/operations.ts';

const { operations } = await findContracts();
const core = operations.filter(({ endpoint }) => !endpoint.extension);

describe('in an organization that has just been founded, a client that knows nothing of it', async () => {
  const { api } = await newOrganization({ startSet: trades.general });
  const called = new Set<Endpoint>();
  const call = <E extends Endpoint>(endpoint: E, parts?: TestedRequest) => {
    called.add(endpoint);
    return api.call(endpoint, parts);
  };

  test('succeeds with every operation of the specification but that of SMS', async () => {
    await call(getOpenApiEndpoint);
    await call(listMembersEndpoint);

    const { categories } = await call(listOrganizationServicesEndpoint);
    const idOf = (type: string) => categories.find((category) => category.type === type)!.id;
    const [offered] = categories.flatMap(({ services }) => services);
    const { service } = await call(getServiceEndpoint, { params: { serviceId: offered!.id } });
    await call(getScenarioEndpoint, { params: { scenarioId: service.scenario.id } });
    await call(createServiceEndpoint, { body: { name: 'Inspection', tradeCategoryId: idOf('SERVICE') } });

    const newProduct = { name: 'Tap', tradeCategoryId: idOf('PRODUCT'), pricingType: 'NONE' };
    const { product } = await call(createProductEndpoint, { body: newProduct });
    const priced = { pricingType: 'FIXED', price: 12.5 };
    await call(updateProductEndpoint, { params: { productId: product.id }, body: priced });
    const { summary } = await call(updateProductsEndpoint, {
      body: { updates: [{ id: product.id, pricing: priced }] },
    });
    expect(summary).toMatchObject({ total: 1, succeeded: 1 });

    const { policies } = await call(listPoliciesEndpoint);
    const content = 'Free of charge until the day before.';
    await call(updatePolicyEndpoint, {
      params: { policyId: policies[0]!.id },
      body: { content, isActive: true },
    });
    await call(createFaqEndpoint, {
      body: { question: 'Do you work at night?', answer: 'Emergencies only.' },
    });

    const newTransfer = { label: 'Office', method: 'COLD', destinationType: 'DEPARTMENT' };
    const { transfer } = await call(createTransferEndpoint, {
      body: {
        ...newTransfer,
        destination: 'Office',
        conditions: 'An invoice',
        scenarioId: service.scenario.id,
      },
    });
    await call(updateTransferEndpoint, { params: { transferId: transfer.id }, body: { isEnabled: false } });

    const { lead } = await call(createLeadEndpoint, { body: { name: 'Ann Lee', phone: '0491 570 156' } });
    await api.call('createInquiry', { body: { source: 'CALL', leadId: lead.id, data: {} } });
    const { inquiries } = await call(listInquiriesEndpoint);
    await call(getInquiryEndpoint, { params: { inquiryId: inquiries[0]!.id } });
    const { leads } = await call(listLeadsEndpoint);
    await call(listLeadActivitiesEndpoint, { params: { leadId: leads[0]!.id } });

    const { company } = await api.call('createCompany', { body: { name: 'Bayview Strata' } });
    await call(listCompanyNotesEndpoint, { params: { companyId: company.id } });
    await call(deleteLeadEndpoint, { params: { leadId: leads[0]!.id } });

    const others = core.filter(({ endpoint }) => !called.has(endpoint));
    expect(others.map(({ operationId }) => operationId)).toEqual(['sendSms']);
  });

  test('sends an SMS', async () => {
    const { members } = await call(listMembersEndpoint);
    const { lead } = await call(createLeadEndpoint, { body: { name: 'Bob Moe', phone: '0491 570 157' } });
    const userId = members[0]!.user.id;
    await call(sendSmsEndpoint, { body: { userId, leadId: lead.id, message: 'We are on our way.' } });
  });
});
