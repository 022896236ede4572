import { ok } from '../../shared/contract/endpoint.ts';
import { getOrganizationHoursEndpoint } from '../../shared/contract/opening-hours.ts';
import { system } from '../../shared/http/outside/system.ts';
import { getOrganizationHours } from '../../shared/domain/organizations/organizations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getOrganizationHoursEndpoint, async ({ query: { at }, principal }) =>
  ok(await getOrganizationHours(ledgerOf(principal), at === undefined ? system.now() : Date.parse(at))),
);
