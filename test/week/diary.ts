import type { Business } from './business.ts';
import { timeOf, wallClock, type Day } from './calendar.ts';
import type { Person } from './people.ts';

type Moment = readonly [day: Day, time: string];
const isoOf = ([day, time]: Moment) => new Date(timeOf(day, time)).toISOString();

/** Appointments of the owner, in terms of the story: names instead of ids, local times. */
export class Diary {
  readonly #business: Business;
  readonly #person: Person;

  constructor(business: Business, person: Person) {
    this.#business = business;
    this.#person = person;
  }

  /**
   * Books the owner's time for a lead and a service. Returns the end of the appointment, and the appointments
   * that it overlaps.
   */
  async books(
    name: string,
    of: string,
    service: string,
    start: Moment,
    more: object = {},
  ): Promise<string[]> {
    const body = { ...(await this.#booking(name, of, service, start)), ...more };
    const { appointment, conflicts } = await this.#person.api.call('createAppointment', { body });
    this.#business.names.give(name, appointment.id);
    return [wallClock(appointment.end), ...this.#namesOf(conflicts)];
  }

  /** Fails to book time that must be free. Returns the times that are offered instead. */
  async cannotBook(name: string, of: string, service: string, start: Moment): Promise<string[]> {
    const body = { ...(await this.#booking(name, of, service, start)), ifFree: true };
    const { alternatives = [] } = await this.#person.api.failure('createAppointment', 409, { body });
    return alternatives.map((slot) => wallClock(slot.start));
  }

  async #booking(title: string, of: string, service: string, start: Moment) {
    const tradeServiceId = await this.#serviceId(service);
    const leadId = this.#business.names.idOf(of);
    return { title, leadId, tradeServiceId, start: isoOf(start), attendees: [this.#business.ownerId] };
  }

  /** Changes an appointment. Returns the appointments that it overlaps. */
  async changes(name: string, body: object): Promise<string[]> {
    const params = { appointmentId: this.#business.names.idOf(name) };
    const { conflicts } = await this.#person.api.call('updateAppointment', { params, body });
    return this.#namesOf(conflicts);
  }

  moves(name: string, start: Moment): Promise<string[]> {
    return this.changes(name, { start: isoOf(start) });
  }

  async cancels(name: string): Promise<void> {
    const params = { appointmentId: this.#business.names.idOf(name) };
    await this.#person.api.call('cancelAppointment', { params });
  }

  /** One line for each appointment of a list, in order. */
  async lines(query: Record<string, string> = {}): Promise<string[]> {
    const { appointments } = await this.#person.api.call('listAppointments', { query });
    return appointments.map(({ id, leadId, start, end, status, isRescheduled }) => {
      const of = this.#business.names.of(leadId ?? '');
      const moved = isRescheduled ? ', moved' : '';
      return `${wallClock(start)} to ${wallClock(end)} ${this.#business.names.of(id)} of ${of}: ${status}${moved}`;
    });
  }

  /** Times at which a service can be booked. */
  async free(service: string, query: Record<string, string>): Promise<string[]> {
    const serviceId = await this.#serviceId(service);
    const { slots } = await this.#person.api.call('getAvailability', {
      query: { serviceId, ...query },
    });
    return slots.map(({ start }) => wallClock(start));
  }

  /** The first of these times, as a caller is told. */
  async offers(service: string, query: Record<string, string>): Promise<string> {
    const serviceId = await this.#serviceId(service);
    return (await this.#person.api.say('getAvailability', { query: { serviceId, ...query } })).say;
  }

  async #serviceId(wanted: string): Promise<number> {
    const { services } = await this.#person.api.call('listServices', { query: { limit: 100 } });
    return services.find(({ name }) => name === wanted)!.id;
  }

  #namesOf = (conflicts: readonly { appointmentId: string | null }[]): string[] =>
    conflicts.map(({ appointmentId }) => this.#business.names.of(appointmentId ?? '') ?? 'a day off');
}
