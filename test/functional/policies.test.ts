import { beforeAll, describe, expect, test } from 'vitest';
import { createLeadEndpoint, listLeadActivitiesEndpoint } from '../../shared/contract/leads.ts';
import {
  getPolicyEndpoint,
  listPoliciesEndpoint,
  updatePolicyEndpoint,
  type Policy,
} from '../../shared/contract/policies.ts';
import { createPolicy } from '../../shared/domain/policies/policies.ts';
import { everyPage, pageOfAll, refusedPages } from '../support/pages.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

let world: World;
let ledger: Ledger;
beforeAll(async () => {
  world = await setup();
  ({ ledger } = world.ours.openLedger());
});

const newPolicy = (ledger: Ledger, title = 'Cancellations') =>
  createPolicy(ledger, { title, content: 'Free until 24 hours before.' });

async function policyNow({ api }: TestOrganization, policyId: number): Promise<Policy> {
  return (await api.call(getPolicyEndpoint, { params: { policyId } })).policy;
}

describe('the list of policies', () => {
  test('has pages, newest first, with exact totals', async () => {
    const { ours, theirs } = await setup();
    const { ledger } = ours.openLedger();
    await newPolicy(theirs.openLedger().ledger);
    const all: Policy[] = [];
    for (let id = 1; id <= 5; id++) {
      const given = { title: `Policy ${id}`, content: `Content\n${id}` };
      await createPolicy(ledger, id === 2 ? { ...given, isActive: false } : given);
      all.unshift({ id, ...given, isActive: id !== 2 });
    }
    const { body, cost } = await ours.api.answer(listPoliciesEndpoint);
    expect(body).toEqual(pageOfAll('policies', all));
    expect(cost).toEqual({ calls: 2, readUnits: 1 + 1, writeUnits: 0 });
    for (const query of [...everyPage(all, 2), { page: 2 }, { limit: 3 }, { limit: 100 }]) {
      expect(await ours.api.call(listPoliciesEndpoint, { query })).toEqual(pageOfAll('policies', all, query));
    }
  });

  test('is empty, with no pages, before the first', async () => {
    const { ours } = await setup();
    const { body, cost } = await ours.api.answer(listPoliciesEndpoint);
    expect(body).toEqual(pageOfAll('policies', []));
    expect(cost.calls).toBe(2);
  });

  test.each(refusedPages)('refuses %s=%s', async (name, value, message) => {
    expect(await world.ours.api.failure(listPoliciesEndpoint, 400, { query: { [name]: value } })).toEqual({
      status: 400,
      message: `${name} ${message}`,
      details: [{ field: name, message }],
    });
  });
});

describe('the read of a policy', () => {
  test('shows it as the list does, also one that is not in use', async () => {
    const { ours } = await setup();
    const { ledger } = ours.openLedger();
    const given = { title: 'Cancellations', content: 'Free\nuntil 24 hours before.' };
    for (const isActive of [true, false]) {
      const { id } = await createPolicy(ledger, { ...given, isActive });
      const { policy } = await ours.api.call(getPolicyEndpoint, { params: { policyId: id } });
      expect(policy).toEqual({ id, ...given, isActive });
      expect((await ours.api.call(listPoliciesEndpoint)).policies[0]).toEqual(policy);
    }
  });

  test('shows its last change', async () => {
    const { api } = world.ours;
    const params = { policyId: (await newPolicy(ledger)).id };
    const { policy } = await api.call(updatePolicyEndpoint, { params, body: { content: 'Free.' } });
    expect(await api.call(getPolicyEndpoint, { params })).toEqual({ policy });
  });

  test('with an unknown id is 404', async () => {
    const { ours } = await setup();
    await newPolicy(ours.openLedger().ledger);
    for (const policyId of ['2', '0', '-1', '01', '1.0', 'one', '999999999999', '1000000000000']) {
      expect(await ours.api.failure(getPolicyEndpoint, 404, { params: { policyId } })).toEqual({
        status: 404,
        message: 'There is no such policy',
      });
    }
  });

  test('answers for another organization as for a policy that never existed', async () => {
    const { ours, theirs } = await setup();
    // Each has one of its own by number 1; only the other has a second.
    const own = await newPolicy(ours.openLedger().ledger, 'Ours');
    const { ledger: theirLedger } = theirs.openLedger();
    await newPolicy(theirLedger, 'Theirs');
    const second = await newPolicy(theirLedger, 'Theirs too');
    expect(await ours.api.failure(getPolicyEndpoint, 404, { params: { policyId: second.id } })).toEqual(
      await ours.api.failure(getPolicyEndpoint, 404, { params: { policyId: 99 } }),
    );
    expect(await policyNow(ours, 1)).toEqual(own);
  });
});

describe('a policy', () => {
  test.each([
    { title: 'New' },
    { content: 'New\n\ncontent' },
    { isActive: false },
    { title: 'New', content: 'New' },
    { title: 'New', content: 'New', isActive: false },
  ])('is changed by %j, and keeps the rest', async (changes) => {
    const { ours } = world;
    const [before, other] = [await newPolicy(ledger), await newPolicy(ledger, 'Another')];
    const after = { ...before, ...changes };
    const params = { policyId: before.id };
    expect(await ours.api.call(updatePolicyEndpoint, { params, body: changes })).toEqual({ policy: after });
    expect(await policyNow(ours, before.id)).toEqual(after);
    expect(await policyNow(ours, other.id)).toEqual(other);
  });

  test('may have a title of 200, and a content of 10,000', async () => {
    const { id } = await newPolicy(ledger);
    const body = { title: 'x'.repeat(200), content: '\u20ac'.repeat(10_000) };
    const { policy } = await world.ours.api.call(updatePolicyEndpoint, { params: { policyId: id }, body });
    expect(policy).toEqual({ id, ...body, isActive: true });
    expect(await policyNow(world.ours, id)).toEqual(policy);
  });

  test('has its title trimmed', async () => {
    const { ours } = world;
    const { id } = await newPolicy(ledger);
    const { policy } = await ours.api.call(updatePolicyEndpoint, {
      params: { policyId: id },
      body: { title: ' New ', content: ' As it is ' },
    });
    expect(policy).toEqual({ id, title: 'New', content: ' As it is ', isActive: true });
  });

  test('is not changed by an empty body, by its own fields, or by an id', async () => {
    const { ours } = await setup();
    const policy = await newPolicy(ours.openLedger().ledger);
    const params = { policyId: policy.id };
    /** Number of events of the organization. Every write adds one, numbered without gaps. */
    const eventsSoFar = async () => {
      const { lead } = await ours.api.call(createLeadEndpoint, { body: { firstName: 'Ann' } });
      const { activities } = await ours.api.call(listLeadActivitiesEndpoint, { params: { leadId: lead.id } });
      return activities[0]!.id;
    };
    const before = await eventsSoFar();
    for (const body of [{}, policy, { isActive: true }, { id: 99 }, { id: 'x' }]) {
      const answer = await ours.api.answer(updatePolicyEndpoint, { params, body });
      expect(answer.body).toEqual({ policy });
      expect(answer.cost.writeUnits).toBe(0);
    }
    expect(await eventsSoFar()).toBe(before + 1);
    await ours.api.call(updatePolicyEndpoint, { params, body: { isActive: false } });
    expect(await eventsSoFar()).toBe(before + 3);
  });

  test('with an unknown id is 404', async () => {
    const { ours } = await setup();
    await newPolicy(ours.openLedger().ledger);
    for (const policyId of ['2', '0', '-1', '01', '1.0', 'one', '999999999999', '1000000000000']) {
      for (const body of [{}, { title: 'New' }]) {
        expect(await ours.api.failure(updatePolicyEndpoint, 404, { params: { policyId }, body })).toEqual({
          status: 404,
          message: 'There is no such policy',
        });
      }
    }
    expect((await ours.api.call(listPoliciesEndpoint)).totalCount).toBe(1);
  });

  test('is never shown to another organization, nor changed by it', async () => {
    const { ours, theirs } = await setup();
    const own = await newPolicy(ours.openLedger().ledger, 'Ours');
    const { ledger: theirLedger } = theirs.openLedger();
    const [first, second] = [
      await newPolicy(theirLedger, 'Theirs'),
      await newPolicy(theirLedger, 'Theirs too'),
    ];
    const body = { title: 'Taken over' };
    expect(
      await ours.api.failure(updatePolicyEndpoint, 404, { params: { policyId: second.id }, body }),
    ).toEqual(await ours.api.failure(updatePolicyEndpoint, 404, { params: { policyId: 99 }, body }));
    // Both organizations have a policy with this number.
    const { policy } = await ours.api.call(updatePolicyEndpoint, { params: { policyId: first.id }, body });
    expect(policy).toEqual({ ...own, ...body });
    expect(await ours.api.call(listPoliciesEndpoint)).toEqual(pageOfAll('policies', [policy]));
    expect(await theirs.api.call(listPoliciesEndpoint)).toEqual(pageOfAll('policies', [second, first]));
  });
});

describe('a change of a policy', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await newPolicy(ledger);
  });

  test.each<[field: string, message: string, value: unknown]>([
    ['title', 'must be a string', 7],
    ['title', 'must not be empty', ''],
    ['title', 'must not be empty', '  '],
    ['title', 'must be at most 200 long', 'x'.repeat(201)],
    ['title', 'must be a single line of text', 'two\nlines'],
    ['title', 'must be valid Unicode text', '\ud800'],
    ['content', 'must be a string', ['x']],
    ['content', 'must not be empty', ''],
    ['content', 'must not be empty', ' \n'],
    ['content', 'must be at most 10000 long', 'x'.repeat(10_001)],
    ['content', 'must be valid Unicode text', '\ud800'],
    ['isActive', 'must be true or false', 'true'],
    ['text', 'is not a known field', 'x'],
  ])('is refused where %s %s (%#)', async (field, message, value) => {
    const { ours } = world;
    const params = { policyId: policy.id };
    // The other fields of such a body are not stored either.
    const body = { title: 'New', isActive: false, [field]: value };
    expect(await ours.api.failure(updatePolicyEndpoint, 400, { params, body })).toEqual({
      status: 400,
      message: `${field} ${message}`,
      details: [{ field, message }],
    });
    expect(await policyNow(ours, policy.id)).toEqual(policy);
  });
});
