import { ok } from '../../shared/contract/endpoint.ts';
import { updateOrganizationEndpoint } from '../../shared/contract/organization-settings.ts';
import { updateOrganization } from '../../shared/domain/organizations/organizations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateOrganizationEndpoint, async ({ body, refuseOutdated, principal }) =>
  ok(await updateOrganization(ledgerOf(principal), body, { refuseOutdated })),
);
