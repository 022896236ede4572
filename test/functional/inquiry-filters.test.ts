import { beforeAll, describe, expect, test } from 'vitest';
import * as v from 'valibot';
import { listInquiriesEndpoint } from '../../shared/contract/inquiries.ts';
import { inquiries as collection } from '../../shared/domain/inquiries/inquiry-record.ts';
import { leadRef } from '../../shared/domain/leads/leads.ts';
import type { Collection } from '../../shared/ledger/index.ts';
import { arrives, inquiryRequests, newLead } from '../support/inquiries.ts';
import { pageOfAll } from '../support/pages.ts';
import { newOrganization, setup, type TestOrganization } from '../support/world.ts';

let ours: TestOrganization;
beforeAll(async () => {
  ({ ours } = await setup());
});

const { arrive, change, readInquiry, leadNow, listed } = inquiryRequests(() => ours);

describe('the lists of unread inquiries and of tags', () => {
  test('follow each change: what comes again is the newest', async () => {
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

  test('cost the head or the state, and the page', async () => {
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

test('an inquiry of before is read, listed and changed', async () => {
  // Not verified afterwards: what was stored before is in no list of the unread until it is repaired.
  const of = await newOrganization();
  const { ledger } = of.openLedger();
  const lead = await newLead(of);
  const { isFlagged, updatedAt, givenPhone, isSummaryGiven, lastTextAt, ...entries } =
    collection.schema.entries;
  const { source, lead: ofLead, leadAndSource } = collection.lists;
  const before = {
    name: 'INQUIRY',
    label: 'inquiry',
    prefix: 'inquiry',
    schema: v.object(entries),
    lists: { source, lead: ofLead, leadAndSource },
  } as const satisfies Collection;
  const { id: callId } = await arrives(ledger, lead, 'CALL', { isRead: true });
  const call = await readInquiry({ id: callId }, of);
  const ref = leadRef(ledger, lead.id);
  const ids = await ledger.write({ change: { lead: ref } }, (write, { lead: record }) => {
    write.replace(ref, { ...record, unreadCalls: 1 });
    write.event({ event: 'TEST', data: 'Older inquiries', referenceId: lead.id });
    return [1, 2].map(
      () =>
        write.append(before, ({ id }) => ({
          ...{ id, source: 'CALL' as const, sourceId: call.data.id, tag: 'Old', summary: 'Old' },
          ...{
            isFirstInquiry: false,
            isRead: false,
            leadId: lead.id,
            externalId: 'crm-1',
            createdAt: write.now,
          },
        })).record.id,
    );
  });
  const [older, other] = ids.map((id) => ({ id }));
  const shown = await readInquiry(older!, of);
  expect(shown).toMatchObject({ isFlagged: false, updatedAt: shown.createdAt, givenPhone: '', tag: 'Old' });
  const { inquiries } = await of.api.call(listInquiriesEndpoint, {
    query: { leadId: lead.id, expand: 'external' },
  });
  expect(inquiries[0]).toMatchObject({ id: other!.id, isFlagged: false, externalInquiryId: 'crm-1' });
  expect(await listed({ isRead: 'false' }, of)).toEqual([]);

  expect(await change(older!, { isFlagged: true }, of)).toMatchObject({ isFlagged: true, isRead: false });
  expect(await leadNow(lead.id, of)).toMatchObject({ unreadCalls: 1, hasFlaggedInquiry: true });
  await change(other!, { isRead: true, tag: 'New' }, of);
  expect(await leadNow(lead.id, of)).toMatchObject({ unreadCalls: 0, hasFlaggedInquiry: true });
  // A change puts it into the lists that there were none of before.
  expect(await listed({ isRead: 'false' }, of)).toEqual([older!.id]);
  expect(await listed({ tag: 'Old' }, of)).toEqual([older!.id]);
  expect(await listed({ tag: 'New' }, of)).toEqual([other!.id]);
  // The lead had counted less than there was.
  await change(older!, { isRead: true }, of);
  expect((await leadNow(lead.id, of)).unreadCalls).toBe(0);
});
