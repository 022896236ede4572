/** Subjects of scopes. Each has a scope to read, one to change and one to create. */
export const scopeSubjects = [
  'leads',
  'inquiries',
  'companies',
  'organization',
  'members',
  'categories',
  'services',
  'scenarios',
  'products',
  'transfers',
  'policies',
  'faqs',
  'sms',
  'appointments',
  'receptionist',
  'events',
  'webhooks',
] as const;
export type ScopeSubject = (typeof scopeSubjects)[number];

/** Subjects that decide who may do what. `write` does not include them: a token needs their scopes by name. */
export const leftOutOfWrite: readonly ScopeSubject[] = ['members'];

/**
 * Scopes of tokens that are sent as `key` in the query. Others can read such a token: in a website's form, or in the
 * settings of a voice platform. No other scope includes a key scope. A token with a key scope has no other kind of
 * scope.
 */
export const keyScopes = ['forms:submit', 'calls:submit', 'receptionist:answer'] as const;

/** Scope of one subject. Endpoints ask for these. */
export type NarrowScope = `${ScopeSubject}:${'read' | 'write' | 'create'}`;
/** Scope of a token that is sent as `key`. */
export type KeyScope = (typeof keyScopes)[number];
export type Scope = 'read' | 'write' | NarrowScope | KeyScope;
/** Scope that an endpoint can ask for. `any`: each scope but a key scope is enough. */
export type AskedScope = Scope | 'any';

interface Meaning {
  /** Wider scopes that include this scope. */
  wider: readonly Scope[];
  /** Scope that reads the same subject. */
  readBy: Scope;
}

function meaningsFor(subject: ScopeSubject): [NarrowScope, Meaning][] {
  const readBy: Scope = `${subject}:read`;
  const ofAll: Scope[] = leftOutOfWrite.includes(subject) ? [] : ['write'];
  return [
    [readBy, { wider: ['read'], readBy }],
    [`${subject}:write`, { wider: ofAll, readBy }],
    [`${subject}:create`, { wider: [`${subject}:write`, ...ofAll], readBy }],
  ];
}

const meanings = new Map<Scope, Meaning>(scopeSubjects.flatMap(meaningsFor));

/** All scopes that a token can have. */
export const scopes: readonly Scope[] = ['read', 'write', ...meanings.keys(), ...keyScopes];

/** True if a token with this scope is sent as `key`, and never as Bearer. */
export const isKeyScope = (scope: string): scope is KeyScope => keyScopes.some((each) => each === scope);

/** Every scope that includes the given scope, the narrowest first. */
export const scopesGranting = (scope: Scope): Scope[] => [scope, ...(meanings.get(scope)?.wider ?? [])];

/** True if a token with these scopes may do what an endpoint with the asked scope does. */
export const isGranted = (scope: AskedScope, held: readonly Scope[]): boolean =>
  scope === 'any'
    ? held.some((each) => !isKeyScope(each))
    : scopesGranting(scope).some((each) => held.includes(each));

/** Scope that reads the subject of another scope: `leads:read` for `leads:create`. */
export const readScopeOf = (scope: AskedScope): AskedScope =>
  scope === 'any' ? scope : (meanings.get(scope)?.readBy ?? 'read');
