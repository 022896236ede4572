import { describe, expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { trades } from '../../infra/trades/trades.ts';
import type { Called } from '../support/api-client.ts';
import { newOrganization } from '../support/test-organization.ts';
import type { TestedRequest } from '../support/operations.ts';

const { operations } = await findContracts();
const core = operations.filter(({ endpoint }) => !endpoint.extension);

describe('in an organization that has just been founded, a client that knows nothing of it', async () => {
  const { api } = await newOrganization({ startSet: trades.general });
  const called = new Set<unknown>();
  const call = <C extends Called>(name: C, parts?: TestedRequest) => {
    called.add(name);
    return api.call(name, parts);
  };

  test('succeeds with every operation of the specification but that of SMS', async () => {
    await call('getOpenApi');
    await call('listMembers');

    const { categories } = await call('listOrganizationServices');
    const idOf = (type: string) => categories.find((category) => category.type === type)!.id;
    const [offered] = categories.flatMap(({ services }) => services);
    const { service } = await call('getService', { params: { serviceId: offered!.id } });
    await call('getScenario', { params: { scenarioId: service.scenario.id } });
    await call('createService', { body: { name: 'Inspection', tradeCategoryId: idOf('SERVICE') } });

    const newProduct = { name: 'Tap', tradeCategoryId: idOf('PRODUCT'), pricingType: 'NONE' };
    const { product } = await call('createProduct', { body: newProduct });
    const priced = { pricingType: 'FIXED', price: 12.5 };
    await call('updateProduct', { params: { productId: product.id }, body: priced });
    const { summary } = await call('updateProducts', {
      body: { updates: [{ id: product.id, pricing: priced }] },
    });
    expect(summary).toMatchObject({ total: 1, succeeded: 1 });

    const { policies } = await call('listPolicies');
    const content = 'Free of charge until the day before.';
    await call('updatePolicy', {
      params: { policyId: policies[0]!.id },
      body: { content, isActive: true },
    });
    await call('createFaq', {
      body: { question: 'Do you work at night?', answer: 'Emergencies only.' },
    });

    const newTransfer = { label: 'Office', method: 'COLD', destinationType: 'DEPARTMENT' };
    const { transfer } = await call('createTransfer', {
      body: {
        ...newTransfer,
        destination: 'Office',
        conditions: 'An invoice',
        scenarioId: service.scenario.id,
      },
    });
    await call('updateTransfer', { params: { transferId: transfer.id }, body: { isEnabled: false } });

    const { lead } = await call('createLead', { body: { name: 'Ann Lee', phone: '0491 570 156' } });
    await api.call('createInquiry', { body: { source: 'CALL', leadId: lead.id, data: {} } });
    const { inquiries } = await call('listInquiries');
    await call('getInquiry', { params: { inquiryId: inquiries[0]!.id } });
    const { leads } = await call('listLeads');
    await call('listLeadActivities', { params: { leadId: leads[0]!.id } });

    const { company } = await api.call('createCompany', { body: { name: 'Bayview Strata' } });
    await call('listCompanyNotes', { params: { companyId: company.id } });
    await call('deleteLead', { params: { leadId: leads[0]!.id } });

    const others = core.filter(({ operationId }) => !called.has(operationId));
    expect(others.map(({ operationId }) => operationId)).toEqual(['sendSms']);
  });

  test('sends an SMS', async () => {
    const { members } = await call('listMembers');
    const { lead } = await call('createLead', { body: { name: 'Bob Moe', phone: '0491 570 157' } });
    const userId = members[0]!.user.id;
    await call('sendSms', { body: { userId, leadId: lead.id, message: 'We are on our way.' } });
  });
});
