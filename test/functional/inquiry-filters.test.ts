import { beforeAll, describe, expect, test } from 'vitest';
import { listInquiriesEndpoint } from '../../shared/contract/inquiries.ts';
import { inquiryRequests } from '../support/inquiries.ts';
import { pageOfAll } from '../support/pages.ts';
import { setup, type TestOrganization } from '../support/world.ts';

let ours: TestOrganization;
beforeAll(async () => {
  ({ ours } = await setup());
});

const { arrive, change, listed } = inquiryRequests(() => ours);

describe('the lists of unread inquiries and of tags', () => {
  test('follow each change: an inquiry that comes back is the newest', async () => {
    const { ours: fresh } = await setup();
    const [one, two, three] = [
      await arrive({ lead: { name: 'Ann' }, tag: 'Quote' }, fresh),
      await arrive({ lead: { name: 'Bo' }, tag: 'quote', isRead: true }, fresh),
      await arrive({ lead: { name: 'Cy' }, tag: 'Quote' }, fresh),
    ];
    const lists = async () => ({
      unread: await listed({ isRead: 'false' }, fresh),
      Quote: await listed({ tag: 'Quote' }, fresh),
      quote: await listed({ tag: 'quote' }, fresh),
    });
    expect(await lists()).toEqual({ unread: [three.id, one.id], Quote: [three.id, one.id], quote: [two.id] });
    await change(three, { isRead: true, tag: '' }, fresh);
    expect(await lists()).toEqual({ unread: [one.id], Quote: [one.id], quote: [two.id] });
    await change(two, { isRead: false, tag: 'Quote' }, fresh);
    await change(one, { isRead: true }, fresh);
    await change(one, { isRead: false }, fresh);
    expect(await lists()).toEqual({ unread: [one.id, two.id], Quote: [two.id, one.id], quote: [] });
    for (const query of [{ isRead: 'false' }, { tag: 'Quote' }, { tag: 'never' }, { tag: ' Quote ' }]) {
      const items = (await fresh.api.call(listInquiriesEndpoint, { query: { ...query, expand: 'both' } }))
        .inquiries;
      expect(items.every(({ lead, externalInquiryId }) => lead?.id && externalInquiryId === null)).toBe(true);
      for (const page of [1, 2, 3]) {
        const parts = { query: { ...query, expand: 'both', page, limit: 1 } };
        expect(await fresh.api.call(listInquiriesEndpoint, parts)).toEqual(
          pageOfAll('inquiries', items, { page, limit: 1 }),
        );
      }
    }
    expect(
      (await ours.api.call(listInquiriesEndpoint, { query: { tag: 'Quote' } })).inquiries,
    ).not.toContainEqual(expect.objectContaining({ id: one.id }));
  });

  test('cost a read of the head or the state, and the page', async () => {
    const { ours: fresh } = await setup();
    await arrive({ lead: { name: 'Ann' }, tag: 'Quote' }, fresh);
    for (const query of [{ isRead: 'false' }, { tag: 'Quote' }]) {
      const { cost } = await fresh.api.answer(listInquiriesEndpoint, { query });
      expect(cost).toEqual({ calls: 2, readUnits: 1.5, writeUnits: 0 });
    }
  });

  const combined = (field: string, others: string) => ({
    field,
    message: `cannot be combined with ${others}`,
  });
  test.each<[Record<string, string>, object[]]>([
    [{ isRead: 'true' }, [{ field: 'isRead', message: 'must be false' }]],
    [{ isRead: '' }, [{ field: 'isRead', message: 'must be false' }]],
    [{ tag: ' ' }, [{ field: 'tag', message: 'must not be empty' }]],
    [{ tag: 'x'.repeat(101) }, [{ field: 'tag', message: 'must be at most 100 long' }]],
    [{ isRead: 'false', tag: 'x', expand: 'lead' }, [combined('isRead', 'tag'), combined('tag', 'isRead')]],
    [{ tag: 'x', source: 'CALL' }, [combined('tag', 'source'), combined('source', 'tag')]],
    [
      { isRead: 'false', leadId: 'x', source: 'CALL' },
      [combined('isRead', 'leadId or source'), combined('leadId', 'isRead'), combined('source', 'isRead')],
    ],
  ])('are refused by %j', async (query, details) => {
    expect((await ours.api.failure(listInquiriesEndpoint, 400, { query })).details).toEqual(details);
  });
});
