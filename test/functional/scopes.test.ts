import { expect, test } from 'vitest';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();

test('a token that may only create leads sees nothing of them', async () => {
  const body = { name: 'Ann Lee', email: 'ann@example.com' };
  const narrow = await ours.apiFor('leads:create');
  const { lead } = await narrow.call('createLead', { body });
  expect(lead).toEqual({ id: expect.stringMatching(/^lead_/) as string });
  expect(await narrow.failure('createLead', 409, { body })).toEqual({
    status: 409,
    message: 'Another lead has this email',
    details: [{ field: 'email', message: 'is taken' }],
  });
  const params = { leadId: lead.id };
  for (const operation of [
    'listLeads',
    'getLead',
    'deleteLead',
    'listLeadActivities',
    'getPipeline',
  ] as const)
    await narrow.failure(operation, 403, { params });
  await narrow.failure('createFaq', 403, { body: { question: 'Who?', answer: 'We.' } });
  // A token that may read leads sees them completely.
  const reader = await ours.apiFor('leads:create', 'leads:read');
  expect((await reader.failure('createLead', 409, { body })).existingId).toBe(lead.id);
  expect((await reader.call('getLead', { params })).lead).toMatchObject({
    id: lead.id,
    firstName: 'Ann',
  });
});

test('a scope of one subject allows no other, and that of all subjects allows each', async () => {
  const body = { question: 'Who?', answer: 'We.' };
  for (const scope of ['faqs:create', 'faqs:write', 'write'] as const) {
    await (await ours.apiFor(scope)).call('createFaq', { body });
  }
  for (const scope of ['faqs:read', 'read', 'leads:write', 'policies:create'] as const) {
    await (await ours.apiFor(scope)).failure('createFaq', 403, { body });
  }
});

test('a token of any scope learns what it allows, and a key does not', async () => {
  for (const scopes of [['read', 'write'], ['leads:create']] as const) {
    const expected = { organizationId: `org_${ours.code}`, userId: ours.userId, scopes };
    expect(await (await ours.apiFor(...scopes)).call('getToken')).toEqual(expected);
  }
  await (await ours.apiFor('forms:submit')).failure('getToken', 403);
});

test('a batch shows only ids to a token that may not read products', async () => {
  const product = { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' };
  const { id } = (await ours.api.call('createProduct', { body: product })).product;
  const narrow = await ours.apiFor('products:write');
  const updates = [
    { id, name: 'Sink' },
    { id: 999, name: 'Bath' },
  ];
  expect(await narrow.call('updateProducts', { body: { updates } })).toEqual({
    results: [
      { id, status: 'ok', product: { id } },
      { id: 999, status: 'error', code: 'NOT_FOUND', message: 'Trade product not found' },
    ],
    summary: { total: 2, succeeded: 1, failed: 1 },
  });
});
