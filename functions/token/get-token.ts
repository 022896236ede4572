import { ok } from '../../shared/contract/endpoint.ts';
import { getTokenEndpoint } from '../../shared/contract/token.ts';
import { serve } from '../../shared/http/serve.ts';

export const handler = serve(getTokenEndpoint, ({ principal: { organization, userId }, scopes }) =>
  ok({ organizationId: `org_${organization}`, userId, scopes: [...scopes] }),
);
