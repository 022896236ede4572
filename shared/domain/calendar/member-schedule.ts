import type { MemberSchedule, Schedule, ScheduleChanges } from '../../contract/member-schedule.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { noSuch } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { members, setSchedule, type MemberRecord } from '../members/members.ts';
import { services } from '../services/services.ts';

/** Schedule of a member. One round trip. @throws Failure `notFound` */
export async function getMemberSchedule(ledger: Ledger, memberId: number): Promise<MemberSchedule> {
  return toSchedule(await ledger.get(ledger.ref(members, memberId)));
}

/**
 * Changes the schedule of a member. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; `invalid` for a service that does not exist; as `refuseOutdated` does
 */
export function updateMemberSchedule(
  ledger: Ledger,
  memberId: number,
  { daysOff, ...changes }: ScheduleChanges,
  { refuseOutdated }: ChangeConditions<MemberSchedule> = {},
): Promise<MemberSchedule> {
  const ref = ledger.ref(members, memberId);
  return ledger.write({ change: { member: ref } }, async (write, { member: before }) => {
    refuseOutdated?.(toSchedule(before));
    const schedule = merge(before.schedule, {
      ...changes,
      daysOff: daysOff?.map(({ from, to = from, reason = '' }) => ({ from, to, reason })),
    });
    await checkServices(write, schedule, before.schedule);
    return toSchedule(setSchedule(write, ref, { before, schedule }));
  });
}

/**
 * Checks the services that a schedule adds. The member's present services are not checked: they may have been deleted,
 * and a client may send back the schedule that it read. @throws Failure `invalid` if an added service does not exist
 */
async function checkServices(write: Write, { serviceIds }: Schedule, before: Schedule): Promise<void> {
  const added = [...new Set(serviceIds).difference(new Set(before.serviceIds))];
  const found = await Promise.all(added.map((number) => write.check({ collection: services, number })));
  if (found.includes(undefined)) throw noSuch(services.label, 'serviceIds');
}

const toSchedule = ({ id, schedule }: MemberRecord): MemberSchedule => ({ id, ...schedule });
