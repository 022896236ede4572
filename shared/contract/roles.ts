import {
  isGranted,
  scopes,
  scopesGranting,
  type NarrowScope,
  type Scope,
  type ScopeSubject,
} from './scopes.ts';

/** Roles of members, the least first. */
export const memberRoles = ['USER', 'ADMIN', 'OWNER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Subjects whose records a role does not manage. It may read them. */
const notManagedBy: Readonly<Record<MemberRole, readonly ScopeSubject[]>> = {
  USER: ['members', 'webhooks'],
  ADMIN: [],
  OWNER: [],
};

/** Scopes that no token of a member with this role has, whatever it was issued with. */
export const scopesBeyond = (role: MemberRole): NarrowScope[] =>
  notManagedBy[role].flatMap((subject): NarrowScope[] => [`${subject}:write`, `${subject}:create`]);

/**
 * Scopes that a member's role leaves of those that a token was issued with. A wide scope that goes too far becomes the
 * narrow scopes that are left of it: the `write` of a USER becomes `leads:write`, `inquiries:write`, and so on. No scope
 * that reads is lost.
 */
export function scopesWithin(role: MemberRole, held: readonly Scope[]): readonly Scope[] {
  const tooWide = new Set(scopesBeyond(role).flatMap(scopesGranting));
  if (!held.some((scope) => tooWide.has(scope))) return held;
  const left = scopes.filter((scope) => isGranted(scope, held) && !tooWide.has(scope));
  return left.filter(
    (scope) => !scopesGranting(scope).some((wider) => wider !== scope && left.includes(wider)),
  );
}
