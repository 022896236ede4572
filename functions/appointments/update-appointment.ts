import { updateAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { realSystem } from '../../shared/core/system.ts';
import { changeAppointment } from '../../shared/domain/appointments/change-appointment.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(
  updateAppointmentEndpoint,
  async ({ params, body, refuseOutdated, principal }) => {
    const options = { refuseOutdated, now: realSystem.now() };
    return ok(await changeAppointment(ledgerOf(principal), params.appointmentId, body, options));
  },
);
