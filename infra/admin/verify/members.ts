import { appointments, isOpen } from '../../../shared/domain/appointments/appointment-record.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { numberInId } from '../../../shared/core/ids.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';
import { itemRepair } from './finding.ts';
import { isOf, type ReadRecord, Rule } from './judgement.ts';

/** Judges that each member counts the open appointments that name the member. */
export class Members extends Rule {
  readonly #open = new SparseNumbers();

  observe(read: ReadRecord): void {
    if (!isOf(read, appointments) || !isOpen(read.record.status)) return;
    for (const member of read.record.attendees.map(numberInId))
      this.#open.set(member, this.#open.get(member) + 1);
  }

  finish(): void {
    for (const [number] of this.judgement.numbersOf(members.name).revisions) {
      const member = this.judgement.read(members, number);
      const openAppointments = this.#open.get(number);
      if (!member || member.record.openAppointments === openAppointments) continue;
      const where = this.judgement.nameOf(members.name, number);
      const key = this.judgement.keyOf(members.name, number);
      const repair = itemRepair('counts its open appointments again', key, (item) => ({
        ...item,
        openAppointments,
      }));
      this.judgement.add('member-counts', where, `${where} does not count its open appointments.`, {
        // A missing or malformed appointment may be open.
        repair: this.judgement.isWhole(appointments.name) ? repair : undefined,
      });
    }
  }
}
