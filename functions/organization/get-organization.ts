import { ok } from '../../shared/contract/endpoint.ts';
import { getOrganizationEndpoint } from '../../shared/contract/organization-settings.ts';
import { getOrganization } from '../../shared/domain/organizations/organizations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getOrganizationEndpoint, async ({ principal }) =>
  ok(await getOrganization(ledgerOf(principal))),
);
