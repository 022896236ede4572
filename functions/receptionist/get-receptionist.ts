import { ok, plainText } from '../../shared/contract/endpoint.ts';
import { getReceptionistEndpoint } from '../../shared/contract/receptionist.ts';
import { system } from '../../shared/http/outside/system.ts';
import { getPrompt, getReceptionist } from '../../shared/domain/receptionist/get-receptionist.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  getReceptionistEndpoint,
  async ({ query, principal }) => {
    const ledger = ledgerOf(principal);
    return query.format === 'text'
      ? plainText(await getPrompt(ledger))
      : ok(await getReceptionist(ledger, query, system.now()));
  },
  { readTimeZone },
);
