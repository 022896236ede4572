import { listAppointmentsEndpoint, maxInRange } from '../../shared/contract/appointments.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listAppointments } from '../../shared/domain/appointments/appointments.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  listAppointmentsEndpoint,
  async ({ query, principal, isAllowed }) => {
    const { page, limit, from } = query;
    const mayRead = { leads: isAllowed('leads:read'), members: isAllowed('members:read') };
    const found = await listAppointments(ledgerOf(principal), query, mayRead);
    return ok(pageOf('appointments', found, { page, limit: from === undefined ? limit : maxInRange }));
  },
  { readTimeZone },
);
