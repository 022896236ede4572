import { expect, test } from 'vitest';
import {
  createLeadEndpoint,
  listLeadActivitiesEndpoint,
  listLeadsEndpoint,
} from '../../shared/contract/leads.ts';
import { setup } from '../support/world.ts';

test('40 concurrent creates of one organization: each stored once or refused, numbers dense, totals exact', async () => {
  const { ours, theirs } = await setup();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      ours.api.attempt(createLeadEndpoint, {
        body: { firstName: `Lead ${at}`, email: `lead${at}@example.com` },
      }),
    ),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  const created = answers.filter(({ status }) => status === 201).length;
  expect(created).toBeGreaterThan(0);

  const ids: string[] = [];
  for (let page = 1; page <= Math.ceil(created / 100); page++) {
    const list = await ours.api.call(listLeadsEndpoint, { query: { page, limit: 100 } });
    expect(list.totalCount).toBe(created);
    ids.push(...list.leads.map(({ id }) => id));
  }
  const first = ids.at(-1)!;
  const numberOf = (id: string) =>
    parseInt(
      id.slice(-8).replaceAll(/./g, (c) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(c).toString(32)),
      32,
    );
  expect(ids.map(numberOf)).toEqual(Array.from({ length: created }, (_, at) => created - at));
  await ours.api.call(listLeadActivitiesEndpoint, { params: { leadId: first } });
  expect((await theirs.api.call(listLeadsEndpoint)).totalCount).toBe(0);
});

test('of 20 concurrent creates with one email, one is stored and the others name it', async () => {
  const { ours } = await setup();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      ours.api.attempt(createLeadEndpoint, { body: { name: 'Ann', email: 'ann@example.com' } }),
    ),
  );
  const list = await ours.api.call(listLeadsEndpoint);
  expect(list.totalCount).toBe(1);
  const outcomes = answers.map(({ status, body }) =>
    status === 201 ? 'created' : (body as { error: object }).error,
  );
  const conflict = {
    status: 409,
    message: 'Another lead has this email',
    details: [{ field: 'email', message: 'is taken' }],
    existingId: list.leads[0]!.id,
  };
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome !== 'created')).toEqual(Array(19).fill(conflict));
});
