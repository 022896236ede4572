import { describe, expect, test } from 'vitest';
import { leadStatuses, type LeadStatus } from '../../shared/contract/leads.ts';
import type { PipelineDay } from '../../shared/contract/pipeline.ts';
import { dateIn } from '../../shared/core/time-zones.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

const none = { pending: 0, active: 0, quoted: 0, won: 0, lost: 0, archived: 0 };
/** Sum over all days, because midnight can pass during a test. */
const sumOver = (days: readonly PipelineDay[], of: (day: PipelineDay) => number) =>
  days.reduce((sum, day) => sum + of(day), 0);

describe('the pipeline', () => {
  test('is empty before the first lead, with the last 31 days, and counts what is created and moved today', async () => {
    const { ours, theirs } = await twoOrganizations();
    const today = dateIn('Australia/Sydney', Date.now());
    const before = await ours.api.call('getPipeline');
    expect(before).toMatchObject({ statuses: none, total: 0 });
    expect(before.days[0]!.date >= today).toBe(true);
    expect(new Set(before.days.map(({ date }) => date)).size).toBe(31);
    const ids: string[] = [];
    for (const body of [{ status: 'won' }, {}, {}, {}, { status: 'lost' }] as const) {
      const { lead } = await ours.api.call('createLead', { body: { firstName: 'Ann', ...body } });
      ids.push(lead.id);
    }
    const move = (at: number, status: LeadStatus) =>
      ours.api.call('updateLead', { params: { leadId: ids[at]! }, body: { status } });
    await move(1, 'active');
    await move(1, 'quoted');
    await move(1, 'pending');
    await move(2, 'active');
    await move(2, 'active');
    await ours.api.call('updateLead', { params: { leadId: ids[3]! }, body: { read: true } });
    await ours.api.call('deleteLead', { params: { leadId: ids[4]! } });

    const { statuses, total, days } = await ours.api.call('getPipeline');
    expect(statuses).toEqual({ ...none, pending: 2, active: 1, won: 1 });
    expect(total).toBe(4);
    expect(sumOver(days, ({ created }) => created)).toBe(5);
    const moved = leadStatuses.map((status) => [status, sumOver(days, (day) => day.moved[status])] as const);
    expect(Object.fromEntries(moved)).toEqual({ ...none, pending: 1, active: 2, quoted: 1 });
    for (const status of leadStatuses)
      expect(await ours.api.call('listLeads', { query: { status } })).toMatchObject({
        totalCount: statuses[status],
      });
    expect(await theirs.api.call('getPipeline')).toMatchObject({ statuses: none, total: 0 });
  });

  test('counts each lead once among concurrent writers', async () => {
    const ours = await verifiedOrganization();
    const statuses: LeadStatus[] = ['pending', 'active'];
    await Promise.all(
      statuses.map((status) => ours.api.call('createLead', { body: { firstName: 'Ann', status } })),
    );
    const { leads } = await ours.api.call('listLeads');
    await Promise.all(
      leads.map(({ id }) =>
        ours.api.call('updateLead', { params: { leadId: id }, body: { status: 'quoted' } }),
      ),
    );
    const { days, ...now } = await ours.api.call('getPipeline');
    expect(now).toEqual({ statuses: { ...none, quoted: 2 }, total: 2 });
    expect(sumOver(days, ({ created }) => created)).toBe(2);
    expect(sumOver(days, ({ moved }) => moved.quoted)).toBe(2);
  });
});
