import { getAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getAppointment } from '../../shared/domain/appointments/appointments.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getAppointmentEndpoint, async ({ params, principal }) =>
  ok({ appointment: await getAppointment(ledgerOf(principal), params.appointmentId) }),
);
