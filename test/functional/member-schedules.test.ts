import { describe, expect, test } from 'vitest';
import { noHours } from '../../shared/contract/opening-hours.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { createService, deleteService } from '../../shared/domain/services/services.ts';
import { events } from '../../shared/ledger/index.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();
const { api } = ours;
const { ledger } = ours.openLedger();
const person = { firstName: 'Max', lastName: 'Tran', email: 'max@example.com' };
const { id: memberId } = await createMember(ledger, person);
const { id: serviceId } = await createService(ledger, { name: 'Boiler', tradeCategoryId: 1 });

const read = async (of = memberId) =>
  (await api.call('getMemberSchedule', { params: { memberId: of } })).schedule;
const change = async (body: object) =>
  (await api.call('updateMemberSchedule', { params: { memberId }, body })).schedule;
const newest = () => ledger.page(events, { page: 1, limit: 1 });

const early = [{ from: '07:00', to: '15:30' }];
const holidays = { from: '2026-12-21', to: '2027-01-08', reason: 'Holidays' };
const ofNew = { workingHours: noHours, daysOff: [], serviceIds: [], priority: 0 };

describe('the schedule of a member', () => {
  test('says nothing of a new one, and is changed in part', async () => {
    expect([await read(), await read(1)]).toEqual([
      { id: memberId, ...ofNew },
      { id: 1, ...ofNew },
    ]);
    const before = (await newest()).totalCount;
    const all = {
      workingHours: { monday: early },
      daysOff: [holidays],
      serviceIds: [serviceId],
      priority: 7,
    };
    const stored = { id: memberId, ...all, workingHours: { ...noHours, monday: early } };
    expect(await change(all)).toEqual(stored);
    expect((await newest()).items).toMatchObject([
      {
        event: 'MEMBER_SCHEDULE_UPDATED',
        data: 'The schedule of a member was changed',
        referenceId: String(memberId),
      },
    ]);
    // A day off is one day, and needs no reason.
    const less = { workingHours: { friday: early }, daysOff: [{ from: '2026-12-08' }] };
    const after = {
      ...stored,
      workingHours: { ...noHours, friday: early },
      daysOff: [{ from: '2026-12-08', to: '2026-12-08', reason: '' }],
    };
    expect(await change(less)).toEqual(after);
    for (const same of [{}, less, after]) expect(await change(same)).toEqual(after);
    expect([await read(), await read(1)]).toEqual([after, { id: 1, ...ofNew }]);
    expect((await newest()).totalCount).toBe(before + 2);
  });

  test('keeps a service that was deleted, and takes no such service anew', async () => {
    const { id } = await createService(ledger, { name: 'Gutters', tradeCategoryId: 1 });
    await change({ serviceIds: [serviceId, id] });
    await deleteService(ledger, id);
    expect(await change(await read())).toMatchObject({ serviceIds: [serviceId, id] });
    await change({ serviceIds: [serviceId] });
    const body = { serviceIds: [id, serviceId] };
    await api.refuses(
      'updateMemberSchedule',
      { params: { memberId }, body },
      'serviceIds names no service of the organization',
    );
  });

  test('takes as much as it may', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n++)
      ids.push((await createService(ledger, { name: `Tap ${n}`, tradeCategoryId: 1 })).id);
    const largest = {
      daysOff: Array.from({ length: 100 }, () => ({ ...holidays, reason: '😀'.repeat(100) })),
      serviceIds: ids,
      priority: 1000,
    };
    expect(await change(largest)).toMatchObject(largest);
  });

  test.each<[string, object, ...string[]]>([
    ['dates that are none', { daysOff: [{ from: '2027-02-29', to: 'soon' }] }, ...wrongDates()],
    [
      'days that end before they begin',
      { daysOff: [{ from: '2026-12-08', to: '2026-12-07' }] },
      'daysOff.0.to must not be before `from`',
    ],
    [
      'a long reason',
      { daysOff: [{ ...holidays, reason: 'r'.repeat(101) }] },
      'daysOff.0.reason must be at most 100 long',
    ],
    ['a service twice', { serviceIds: [1, 1] }, 'serviceIds must have each service at most once'],
    ['hours that are none', { workingHours: { monday: [{}] } }, ...wrongHours()],
  ])('refuses %s', async (_, body, ...problems) => {
    await api.refuses('updateMemberSchedule', { params: { memberId }, body }, ...problems);
  });
});

function wrongDates(): string[] {
  return ['from', 'to'].map((name) => `daysOff.0.${name} must be a date such as 2026-12-25`);
}

function wrongHours(): string[] {
  return ['from', 'to'].map((name) => `workingHours.monday.0.${name} is required`);
}
