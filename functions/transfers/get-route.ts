import { ok, said } from '../../shared/contract/endpoint.ts';
import { getRouteEndpoint } from '../../shared/contract/transfer-route.ts';
import { realSystem } from '../../shared/core/system.ts';
import { getRoute, sayRoute } from '../../shared/domain/receptionist/get-route.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(getRouteEndpoint, async ({ query: { topic = '', at, format }, principal }) => {
  const time = at === undefined ? realSystem.now() : Date.parse(at);
  const found = await getRoute(ledgerOf(principal), topic, time);
  return format === 'say' ? said(200, sayRoute(found)) : ok(found);
});
