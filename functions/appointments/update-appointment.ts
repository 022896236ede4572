import { updateAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { system } from '../../shared/http/outside/system.ts';
import { updateAppointment } from '../../shared/domain/appointments/change-appointment.ts';
import { namingOffsets } from '../../shared/http/local-times.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  updateAppointmentEndpoint,
  async ({ params, body, refuseOutdated, principal }) => {
    const options = { refuseOutdated, now: system.now() };
    return ok(await updateAppointment(ledgerOf(principal), params.appointmentId, body, options));
  },
  { readTimeZone, namingOffsets },
);
