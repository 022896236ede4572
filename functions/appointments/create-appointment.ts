import { createAppointmentEndpoint, type BookedAppointment } from '../../shared/contract/appointments.ts';
import { created, said } from '../../shared/contract/endpoint.ts';
import type { SaidQuery } from '../../shared/contract/said.ts';
import { system } from '../../shared/http/outside/system.ts';
import { appointments } from '../../shared/domain/appointments/appointment-record.ts';
import { getAppointment } from '../../shared/domain/appointments/appointments.ts';
import {
  createAppointment,
  keptOutcome,
  sayBooking,
} from '../../shared/domain/appointments/create-appointment.ts';
import type { Ledger } from '../../shared/ledger/index.ts';
import { namingOffsets } from '../../shared/http/local-times.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  createAppointmentEndpoint,
  async ({ query, body, principal, isAllowed }) => {
    const options = { fillsContacts: isAllowed('leads:write'), now: system.now() };
    const ledger = ledgerOf(principal);
    return answer(ledger, query, await createAppointment(ledger, body, options));
  },
  onceStored(appointments, 'appointment', async (ledger, id, { query }) =>
    answer(ledger, query, { appointment: await getAppointment(ledger, id), ...keptOutcome(ledger) }),
  ),
  { readTimeZone, namingOffsets },
);

const answer = async (ledger: Ledger, { format }: SaidQuery, booked: BookedAppointment) =>
  format === 'say' ? said(201, await sayBooking(ledger, booked)) : created(booked);
