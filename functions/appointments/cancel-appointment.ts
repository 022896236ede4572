import { cancelAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { system } from '../../shared/http/outside/system.ts';
import { appointments } from '../../shared/domain/appointments/appointment-record.ts';
import { getAppointment } from '../../shared/domain/appointments/appointments.ts';
import { cancelAppointment } from '../../shared/domain/appointments/change-appointment.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  cancelAppointmentEndpoint,
  async ({ params, principal }) => {
    const now = { now: system.now() };
    return ok({ appointment: await cancelAppointment(ledgerOf(principal), params.appointmentId, now) });
  },
  onceStored(appointments, 'appointment', async (ledger, id) =>
    ok({ appointment: await getAppointment(ledger, id) }),
  ),
);
