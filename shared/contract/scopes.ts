/** What a token can be allowed to read, to change and to create, each by itself. */
export const scopeSubjects = [
  'leads',
  'inquiries',
  'companies',
  'members',
  'services',
  'scenarios',
  'products',
  'transfers',
  'policies',
  'faqs',
  'sms',
] as const;
type ScopeSubject = (typeof scopeSubjects)[number];

/** A scope for one subject: what an endpoint asks for. */
export type NarrowScope = `${ScopeSubject}:${'read' | 'write' | 'create'}`;
/** What a token may do. */
export type Scope = 'read' | 'write' | NarrowScope;

interface Meaning {
  /** The wider scopes that grant it too. */
  wider: readonly Scope[];
  /** What reads its subject. */
  readBy: Scope;
}

function meaningsFor(subject: ScopeSubject): [NarrowScope, Meaning][] {
  const readBy: Scope = `${subject}:read`;
  return [
    [readBy, { wider: ['read'], readBy }],
    [`${subject}:write`, { wider: ['write'], readBy }],
    [`${subject}:create`, { wider: [`${subject}:write`, 'write'], readBy }],
  ];
}

const meanings = new Map<Scope, Meaning>(scopeSubjects.flatMap(meaningsFor));

/** All scopes that a token can have. */
export const scopes: readonly Scope[] = ['read', 'write', ...meanings.keys()];

/** Every scope that allows what the given one does, the narrowest first. */
export const scopesGranting = (scope: Scope): Scope[] => [scope, ...(meanings.get(scope)?.wider ?? [])];

/** Whether a token with these scopes may do what a scope says. */
export const isGranted = (scope: Scope, held: readonly Scope[]): boolean =>
  scopesGranting(scope).some((each) => held.includes(each));

/** The scope that reads what another is about: `leads:read` of `leads:create`. */
export const readScopeOf = (scope: Scope): Scope => meanings.get(scope)?.readBy ?? 'read';
