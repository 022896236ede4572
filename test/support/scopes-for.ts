import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { isGranted, type Scope } from '../../shared/contract/scopes.ts';
import { ownersScopes } from '../../shared/domain/tokens/tokens.ts';

/** Scopes of a token for an endpoint: all scopes of an owner, or else the scope that no other scope includes. */
export const scopesFor = ({ scope }: Pick<Endpoint, 'scope'>): readonly Scope[] =>
  scope === 'public' || isGranted(scope, ownersScopes) || scope === 'any' ? ownersScopes : [scope];
