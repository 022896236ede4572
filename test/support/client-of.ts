import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { acceptScope } from '../../shared/contract/scopes.ts';
import { ownersScopes } from '../../shared/domain/tokens/tokens.ts';
import type { ApiClient } from './api-client.ts';
import type { Records } from './filled-records.ts';
import { clientFor, type TestOrganization } from './test-organization.ts';
import { scopesFor } from './scopes-for.ts';

/** Client with a token for an endpoint: of the invitation among these records, if only that is enough. */
export const clientOf = (
  { api, apiFor }: Pick<TestOrganization, 'api' | 'apiFor'>,
  endpoint: Pick<Endpoint, 'scope'>,
  { invitationToken }: Partial<Records> = {},
): Promise<ApiClient> => {
  const scopes = scopesFor(endpoint);
  if (scopes[0] === acceptScope && invitationToken !== undefined)
    return Promise.resolve(clientFor(invitationToken, [acceptScope]));
  return scopes === ownersScopes ? Promise.resolve(api) : apiFor(...scopes);
};
