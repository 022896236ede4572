import type { Operation } from '../functions.ts';
import { memberRoles, scopesWithin, type MemberRole } from '../../shared/contract/roles.ts';
import {
  isGranted,
  isKeyScope,
  issuedScopes,
  type AskedScope,
  type Scope,
} from '../../shared/contract/scopes.ts';

/** Kind of a token. The reference says for each kind what the token may do. */
export interface TokenKind {
  /** Role of the member that it acts for. */
  role: MemberRole;
  /** Name of the scopes that it was issued with. */
  name: string;
  scopes: readonly Scope[];
}

/** Each role, once with the scopes that a token has by default, and once with all that go together. */
export const tokenKinds: readonly TokenKind[] = memberRoles.flatMap((role): TokenKind[] => [
  { role, name: '`read,write`', scopes: ['read', 'write'] },
  { role, name: 'every scope', scopes: issuedScopes.filter((scope) => !isKeyScope(scope)) },
]);

/** Operation that takes a token as Bearer. */
type BearerOperation = Operation & { endpoint: { scope: AskedScope } };

/** Operations that take tokens as Bearer: neither public operations, nor operations that take keys. */
export const takingTokens = (operations: readonly Operation[]): BearerOperation[] =>
  operations.filter(
    (one): one is BearerOperation => one.endpoint.scope !== 'public' && !isKeyScope(one.endpoint.scope),
  );

/** Names of the operations that answer 403 to a kind of token. */
export function refusedTo({ role, scopes }: TokenKind, operations: readonly Operation[]): string[] {
  const left = scopesWithin(role, scopes);
  return takingTokens(operations)
    .filter(({ endpoint }) => !isGranted(endpoint.scope, left))
    .map(({ operationId }) => operationId);
}
