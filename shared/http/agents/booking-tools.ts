import * as v from 'valibot';
import { createAppointmentEndpoint } from '../../contract/appointments.ts';
import { getAvailabilityEndpoint } from '../../contract/availability.ts';
import { listServicesEndpoint } from '../../contract/services.ts';
import { numberArgument, optionalText, pageArgument, textArgument } from './arguments.ts';
import { brief, joined, pageText } from './texts.ts';
import { tool } from './tool.ts';

/** Person who is not known by an id. */
export const personArguments = {
  name: optionalText('Whole name'),
  phone: optionalText('With + and country code, or national'),
  email: v.optional(v.string()),
  suburb: v.optional(v.string()),
};

/** True if arguments name a person. */
const namesSomebody = (person: Partial<Record<'name' | 'phone' | 'email', string | undefined>>): boolean =>
  (person.name ?? person.phone ?? person.email) !== undefined;

/** Number of services on a page. The lines of services are short. */
const servicesPerPage = 20;

export const listServices = tool({
  name: 'list_services',
  title: 'List services',
  description: 'Services that can be booked, with the serviceId for find_slot and book_appointment.',
  args: { page: pageArgument },
  endpoint: listServicesEndpoint,
  request: ({ page }) => ({ query: { isActive: 'true', page, limit: servicesPerPage } }),
  answer: listServicesEndpoint.responses[200],
  text: (page) =>
    pageText(
      'Services',
      page.services.map(({ id, name, description }) => brief(`${id}: ${joined(name, description)}`, 70)),
      page,
      { size: servicesPerPage },
    ),
});

export const findSlot = tool({
  name: 'find_slot',
  title: 'Find a free time',
  description:
    'Finds the next times at which a service can be booked: at most three, or why there is none and the next time after. Ask ' +
    'again with a later from for others. Book a time by book_appointment with its start.',
  args: {
    serviceId: numberArgument('From list_services'),
    from: optionalText('Local date such as 2026-12-08, or time with offset; now if left out'),
    to: optionalText('As from, its day included; a week later or more if left out'),
    suburb: optionalText('Where it is to be done'),
  },
  endpoint: getAvailabilityEndpoint,
  request: (args) => ({ query: { ...args, format: 'say' } }),
  answer: getAvailabilityEndpoint.said.schema,
  text: ({ say, slots }, _, at) =>
    [
      say,
      ...slots.map(
        ({ say: time, start, userIds }) => `${time}: start ${at(start)}, userId ${userIds[0] ?? ''}`,
      ),
    ].join('\n'),
});

export const bookAppointment = tool({
  name: 'book_appointment',
  title: 'Book an appointment',
  description:
    'Books a time of find_slot, once the person has agreed to it. A time that is not offered is refused with the reason, and ' +
    'with times that are.',
  args: {
    serviceId: numberArgument('From list_services'),
    start: textArgument('From find_slot, without the weekday'),
    userId: optionalText('From find_slot, if somebody certain is to attend; else whose turn it is'),
    title: textArgument('A few words that name it'),
    description: optionalText('The work to be done'),
    street: optionalText('Number and street, if not those of the lead'),
    leadId: optionalText('Who it is with, if known; else name, and phone or email'),
    ...personArguments,
  },
  endpoint: createAppointmentEndpoint,
  request: ({ serviceId, start, userId, title, description, street, leadId, ...person }) => ({
    query: { format: 'say' },
    body: {
      title,
      start,
      description,
      ...(userId !== undefined && { attendees: [userId] }),
      tradeServiceId: serviceId,
      ...(leadId !== undefined && { leadId }),
      // With a leadId, another person is refused, and not forgotten.
      ...((leadId === undefined || namesSomebody(person)) && { lead: person }),
      ...((street ?? (leadId && person.suburb)) !== undefined && {
        address: { line1: street, suburb: person.suburb },
      }),
      ifOffered: true,
    },
  }),
  argumentOf: {
    tradeServiceId: 'serviceId',
    attendees: 'userId',
    'attendees.0': 'userId',
    address: 'suburb',
    lead: 'The person',
    'address.line1': 'street',
  },
  answer: createAppointmentEndpoint.said.schema,
  text: ({ say, appointmentId, start }, _, at) => `${say}\n${appointmentId}, start ${at(start)}`,
});
