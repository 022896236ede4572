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

/**
 * The scopes of tokens that are sent as `key` in the query, where anyone can read them, as in a website's form. No other scope
 * includes one of them, and a token that has one has nothing else.
 */
export const keyScopes = ['forms:submit'] as const;

/** A scope for one subject: what an endpoint asks for. */
export type NarrowScope = `${ScopeSubject}:${'read' | 'write' | 'create'}`;
/** A scope of tokens that are sent as `key`: what an endpoint asks for that takes them. */
export type KeyScope = (typeof keyScopes)[number];
/** What a token may do. */
export type Scope = 'read' | 'write' | NarrowScope | KeyScope;

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
export const scopes: readonly Scope[] = ['read', 'write', ...meanings.keys(), ...keyScopes];

/** Whether a token with this scope is sent as `key`, and never as Bearer. */
export const isKeyScope = (scope: string): scope is KeyScope => keyScopes.some((each) => each === scope);

/** Every scope that allows what the given one does, the narrowest first. */
export const scopesGranting = (scope: Scope): Scope[] => [scope, ...(meanings.get(scope)?.wider ?? [])];

/** Whether a token with these scopes may do what a scope says. */
export const isGranted = (scope: Scope, held: readonly Scope[]): boolean =>
  scopesGranting(scope).some((each) => held.includes(each));

/** The scope that reads what another is about: `leads:read` of `leads:create`. */
export const readScopeOf = (scope: Scope): Scope => meanings.get(scope)?.readBy ?? 'read';
