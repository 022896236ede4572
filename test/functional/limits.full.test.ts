import { expect, test } from 'vitest';
import type { Service } from '../../shared/contract/services.ts';
import { maxWebhooks } from '../../shared/contract/webhooks.ts';
import { addCategory, createCategory } from '../../shared/domain/categories/categories.ts';
import { categoryRef } from '../../shared/domain/categories/in-category.ts';
import { companies, notes } from '../../shared/domain/companies/companies.ts';
import { createProduct } from '../../shared/domain/products/products.ts';
import { addScenarioOfService } from '../../shared/domain/scenarios/scenarios.ts';
import { services } from '../../shared/domain/services/services.ts';
import { createAccessToken } from '../../shared/domain/tokens/access-tokens.ts';
import { createWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { asOwner, newWebhook } from '../support/filled-records.ts';
import { join } from '../support/office.ts';
import {
  clientFor,
  newOrganization,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';

/* What an organization may have most of, and what takes several requests. Verbs store most of it, because requests take longer. */

test('an organization has at most 20 webhooks', async () => {
  const organization = await verifiedOrganization();
  const { api } = organization;
  const { ledger } = organization.openLedger();
  let addresses = 0;
  const another = () => ({ ...newWebhook, url: `${newWebhook.url}/${(addresses += 1)}` });
  for (let count = 1; count < maxWebhooks; count++) await createWebhook(ledger, another(), asOwner(ledger));
  const answers = await Promise.all([1, 2].map(() => api.attempt('createWebhook', { body: another() })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  await api.refuses('createWebhook', { body: newWebhook }, 'An organization has at most 20 webhooks');
  await api.call('deleteWebhook', { params: { webhookId: 1 } });
  const { webhook } = await api.call('createWebhook', { body: another() });
  expect(webhook.id).toBe(maxWebhooks + 1);
});

test('an organization has at most 100 categories, in pages by id ascending', async () => {
  const organization = await verifiedOrganization();
  const { api } = organization;
  const gas = { name: 'Gas', type: 'PRODUCT' } as const;
  // An organization begins with two.
  await organization.openLedger().ledger.write({}, (write) => {
    for (let count = 2; count < 99; count++) addCategory(write, gas);
    write.event({ event: 'TEST', data: 'Categories were added', referenceId: '1' });
  });
  const refused = 'An organization has at most 100 categories';
  const body = { name: 'More', type: 'SERVICE' };
  // Of two requests at once, one creates the last category that is allowed.
  const answers = await Promise.all([1, 2].map(() => api.attempt('createCategory', { body })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  await api.refuses('createCategory', { body }, refused);
  await api.call('deleteCategory', { params: { categoryId: 3 } });
  expect((await api.call('createCategory', { body: gas })).category.id).toBe(101);
  const pageOf = async (page: number) => {
    const answer = await api.call('listCategories', { query: { page, limit: 40 } });
    const { categories, ...fields } = answer;
    expect(fields).toMatchObject({ totalPages: 3, currentPage: page, totalCount: 100 });
    return categories.map(({ id }) => id);
  };
  const ids = [await pageOf(1), await pageOf(2), await pageOf(3)];
  const all = Array.from({ length: 101 }, (_, at) => at + 1).filter((id) => id !== 3);
  expect(ids).toEqual([all.slice(0, 40), all.slice(40, 80), all.slice(80)]);
  expect(await pageOf(4)).toEqual([]);
});

/** Stores copies of a service, many in one transaction, which the verb cannot. */
async function copy(organization: TestOrganization, service: Service, count: number) {
  const { ledger } = organization.openLedger();
  const { scenario, ...fields } = service;
  // Copies that fit into one transaction, each with its scenario and name, besides what all of them change.
  const perWrite = 31;
  for (let left = count; left > 0; left -= perWrite) {
    await ledger.write({ change: { category: categoryRef(fields) } }, (write) => {
      for (let at = 0; at < Math.min(left, perWrite); at++) {
        const { number } = write.next(services);
        // A name as long as the first one, and unique.
        const name = `${fields.name.slice(0, -3)}${String(number).padStart(3, '0')}`;
        const copied = { ...fields, id: number, name };
        const { id } = addScenarioOfService(write, { tradeServiceId: number, ...copied });
        write.append(services, () => ({ ...copied, scenarioId: id }));
      }
      write.event({ event: 'TEST', data: 'Services were copied', referenceId: '1' });
    });
  }
}

test('one service more than an organization can have is 400', async () => {
  const ours = await newOrganization();
  // The largest possible service: the answer is JSON within JSON, where a quote takes four bytes.
  const followUpQuestions = Array.from({ length: 10 }, () => '"'.repeat(200));
  const longest = { name: '"'.repeat(150), description: '"'.repeat(1400), followUpQuestions };
  const { service } = await ours.api.call('createService', { body: { ...longest, tradeCategoryId: 1 } });
  await copy(ours, service, 398);
  const more = await createCategory(ours.openLedger().ledger, { name: 'More', type: 'SERVICE' });
  const bodyOf = (name: string) => ({ body: { name, tradeCategoryId: more.id } });
  // Of two requests at once, one creates the last service that is allowed.
  const answers = await Promise.all(
    ['One', 'Two'].map((name) => ours.api.attempt('createService', bodyOf(name))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  const problem = 'An organization has at most 400 services';
  await ours.api.refuses('createService', bodyOf('Three'), problem);

  const list = await ours.api.call('listOrganizationServices');
  expect(list.totalServices).toBe(400);
  const ids = list.categories.map((category) => category.services.map(({ id }) => id));
  expect(ids).toEqual([Array.from({ length: 399 }, (_, at) => at + 1), [], [400]]);
  // Close to the 6 MB that a function can answer; the machine refuses more.
  const bytes = Buffer.byteLength(JSON.stringify({ body: JSON.stringify(list) }));
  expect(bytes).toBeGreaterThan(5 * 1024 * 1024);
});

test('a company with many notes is deleted by several requests, and is a 404 meanwhile but to these', async () => {
  const organization = await verifiedOrganization();
  const { api } = organization;
  const { ledger } = organization.openLedger();
  const { id: companyId } = (await api.call('createCompany', { body: { name: 'Bayview' } })).company;
  const params = { companyId };
  const ref = ledger.ref(companies, companyId);
  const stamps = { createdAt: '2026-11-02T13:00:00.000Z', updatedAt: '2026-11-02T13:00:00.000Z' };
  for (let at = 0; at < 4; at++)
    await ledger.write({ change: { company: ref } }, (write) => {
      for (let nth = 0; nth < 80; nth++)
        write.append(notes, ({ number: id }) => ({ id, value: 'N', companyId, userId: 'user_1', ...stamps }));
      write.event({ event: 'TEST', data: 'A test.', referenceId: companyId });
    });
  const left = async () => (await ledger.page(notes, { page: 1, limit: 1 })).totalCount;

  // Ten transactions delete 31 notes each.
  expect(await api.call('deleteCompany', { params })).toEqual({
    message: 'The company is deleted, its notes are not all deleted yet: ask again until they are',
    done: false,
  });
  expect(await left()).toBe(320 - 310);
  await api.lacks('getCompany', { params }, 'company');
  const noteId = (await ledger.page(notes, { page: 1, limit: 1 })).items[0]!.id;
  const ofNote = { params: { ...params, noteId } };
  await api.lacks('getCompanyNote', ofNote, 'company');
  await api.lacks('updateCompanyNote', { ...ofNote, body: { value: 'N' } }, 'company');
  await api.lacks('deleteCompanyNote', ofNote, 'company');
  const headers = { 'If-Match': '"that of the company before"' };
  expect(await api.call('deleteCompany', { params, headers })).toEqual({
    message: 'Company deleted successfully',
    done: true,
  });
  expect(await left()).toBe(0);
  await api.lacks('deleteCompany', { params }, 'company');
});

test('a batch of 100 items with the largest possible product can be answered', async () => {
  // The answer is JSON within JSON, where a quote takes four bytes. Lambda allows 6 MB.
  const faqs = Array.from({ length: 10 }, () => ({ question: '"'.repeat(255), answer: '"'.repeat(1000) }));
  const texts = { name: '"'.repeat(150), description: '"'.repeat(2000), faqs };
  const organization = await verifiedOrganization();
  const { api } = organization;
  const { id } = await createProduct(organization.openLedger().ledger, {
    ...texts,
    tradeCategoryId: 2,
    pricingType: 'NONE',
  });
  const { summary } = await api.call('updateProducts', { body: { updates: Array(100).fill({ id }) } });
  expect(summary.succeeded).toBe(100);
});

test('a member has at most forty tokens that work, and all of them end with the member', async () => {
  const ours = await verifiedOrganization();
  const { api } = ours;
  const { ledger } = ours.openLedger();
  const { id, user } = await join(ours, 'Mo');
  const values: string[] = [];
  const one = { name: 'Website', scopes: ['leads:read' as const], userId: user.id };
  for (let times = 0; times < 40; times++)
    values.push((await createAccessToken(ledger, one, asOwner(ledger))).value);
  const { message } = await api.failure('createAccessToken', 409, { body: one });
  expect(message).toBe('The member has 40 tokens that work, which is the most; revoke one first');
  const { tokens } = await api.call('listAccessTokens', { query: { limit: 1 } });
  await api.failure('rotateAccessToken', 409, { params: { tokenId: tokens[0]!.id }, body: {} });
  await api.call('rotateAccessToken', {
    params: { tokenId: tokens[0]!.id },
    body: { overlapHours: 0 },
  });
  // The authorizer has not cached the answer for the next token.
  const works = async () => (await clientFor(values.shift()).attempt('getToken')).status;
  const disable = (isDisabled: boolean) =>
    api.call('updateMember', { params: { memberId: id }, body: { isDisabled } });
  expect(await works()).toBe(200);
  await disable(true);
  expect(await works()).toBe(401);
  await api.failure('createAccessToken', 409, { body: one });
  await disable(false);
  expect(await works()).toBe(200);
  await api.call('deleteMember', { params: { memberId: id } });
  expect(await works()).toBe(401);
});

test('a long thread and many inquiries are erased by several requests, and pages are exact after each', async () => {
  const { api } = await verifiedOrganization();
  const { lead } = await api.call('createLead', { body: { name: 'Sofia Rossi' } });
  const data = { messages: Array.from({ length: 50 }, (_, at) => ({ text: `Sofia wrote ${at}` })) };
  for (let at = 0; at < 4; at++)
    await api.call('createInquiry', { body: { source: 'SMS', leadId: lead.id, data } });
  const seen: (number | boolean)[][] = [];
  for (;;) {
    const { done: isDone, message } = await api.call('eraseLead', { params: { leadId: lead.id } });
    const { totalCount, inquiries } = await api.call('listInquiries', { query: { leadId: lead.id } });
    expect(inquiries).toHaveLength(totalCount);
    expect((await api.call('listInquiries')).totalCount).toBe(totalCount);
    for (const { id } of inquiries) await api.call('getInquiry', { params: { inquiryId: id } });
    seen.push([isDone, totalCount]);
    if (isDone) break;
    expect(message).toBe('The lead is not erased yet: ask again until it is');
  }
  // Each request runs ten transactions; a thread of fifty messages takes three.
  expect(seen).toEqual([
    [false, 1],
    [true, 0],
  ]);
});
