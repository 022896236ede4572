import { getAvailabilityEndpoint } from '../../shared/contract/availability.ts';
import { ok, said } from '../../shared/contract/endpoint.ts';
import { system } from '../../shared/http/outside/system.ts';
import { getAvailability, offerTimes } from '../../shared/domain/appointments/availability.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  getAvailabilityEndpoint,
  async ({ query, principal }) => {
    const [ledger, now] = [ledgerOf(principal), system.now()];
    return query.format === 'say'
      ? said(200, await offerTimes(ledger, query, now))
      : ok(await getAvailability(ledger, query, now));
  },
  { readTimeZone },
);
