import { ok, said } from '../../shared/contract/endpoint.ts';
import { getRouteEndpoint } from '../../shared/contract/transfer-route.ts';
import { system } from '../../shared/http/outside/system.ts';
import { getRoute, sayRoute } from '../../shared/domain/receptionist/get-route.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getRouteEndpoint, async ({ query: { topic = '', at, format }, principal }) => {
  const time = at === undefined ? system.now() : Date.parse(at);
  const found = await getRoute(ledgerOf(principal), topic, time);
  return format === 'say' ? said(200, sayRoute(found)) : ok(found);
});
