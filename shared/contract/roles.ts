import {
  isGranted,
  scopes,
  scopesGranting,
  type NarrowScope,
  type Scope,
  type ScopeSubject,
} from './scopes.ts';

/** Roles of members. The role with the fewest rights comes first. */
export const memberRoles = ['USER', 'ADMIN', 'OWNER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Subjects that a role may only read. */
const notManagedBy: Readonly<Record<MemberRole, readonly ScopeSubject[]>> = {
  USER: ['members', 'tokens', 'webhooks'],
  ADMIN: [],
  OWNER: [],
};

/** Roles that a member with this role gives and takes, and whose tokens the member manages. A USER manages nobody. */
export const rolesGivenBy = (role: MemberRole): readonly MemberRole[] =>
  role === 'USER' ? [] : memberRoles.slice(0, memberRoles.indexOf(role) + 1);

/** Scopes that no token of a member with this role has, even if the token was issued with them. */
export const scopesBeyond = (role: MemberRole): NarrowScope[] =>
  notManagedBy[role].flatMap((subject): NarrowScope[] => [`${subject}:write`, `${subject}:create`]);

/**
 * Removes the scopes that a member's role does not allow from the scopes of a token. A wide scope that the role allows
 * only in part becomes the allowed narrow scopes. For example, the `write` of a USER becomes `leads:write`,
 * `inquiries:write`, and so on. Keeps all scopes that read.
 */
export function scopesWithin(role: MemberRole, held: readonly Scope[]): readonly Scope[] {
  const tooWide = new Set(scopesBeyond(role).flatMap(scopesGranting));
  if (!held.some((scope) => tooWide.has(scope))) return held;
  const left = scopes.filter((scope) => isGranted(scope, held) && !tooWide.has(scope));
  return left.filter(
    (scope) => !scopesGranting(scope).some((wider) => wider !== scope && left.includes(wider)),
  );
}
