/** Maximum number of tokens of one member that are neither revoked nor expired. */
export const maxLiveTokens = 40;

/** Subjects of scopes. Each has a scope to read, one to change and one to create. */
export const scopeSubjects = [
  'leads',
  'inquiries',
  'companies',
  'organization',
  'members',
  'tokens',
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
export const leftOutOfWrite: readonly ScopeSubject[] = ['members', 'tokens'];

/**
 * Scopes of tokens that are sent as `key` in the query. Others can read such a token: in a website's form, or in the
 * settings of a voice platform. No other scope includes a key scope. A token with a key scope has no other kind of
 * scope.
 */
export const keyScopes = ['forms:submit', 'calls:submit', 'receptionist:answer'] as const;

/** Scope of an invitation's token, which accepts the invitation and does nothing else. No other scope includes it. */
export const acceptScope = 'invitations:accept';

/** Scope of one subject. Endpoints ask for these. */
export type NarrowScope = `${ScopeSubject}:${'read' | 'write' | 'create'}`;
/** Scope of a token that is sent as `key`. */
export type KeyScope = (typeof keyScopes)[number];
/** Scope that a token can be issued with. */
export type IssuedScope = 'read' | 'write' | NarrowScope | KeyScope;
export type Scope = IssuedScope | typeof acceptScope;
/** Scope that an endpoint can ask for. `any`: each scope but a key scope and the scope of invitations is enough. */
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

const narrow = scopeSubjects.flatMap(meaningsFor);
const meanings = new Map<Scope, Meaning>(narrow);

/** All scopes that a token can be issued with. */
export const issuedScopes: readonly IssuedScope[] = [
  'read',
  'write',
  ...narrow.map(([scope]) => scope),
  ...keyScopes,
];
/** All scopes that a token can have. */
export const scopes: readonly Scope[] = [...issuedScopes, acceptScope];

/** True if a token with this scope is sent as `key`, and never as Bearer. */
export const isKeyScope = (scope: string): scope is KeyScope => keyScopes.some((each) => each === scope);

/** Every scope that includes the given scope, the narrowest first. */
export const scopesGranting = (scope: Scope): Scope[] => [scope, ...(meanings.get(scope)?.wider ?? [])];

/** True if a token with these scopes may do what an endpoint with the asked scope does. */
export const isGranted = (scope: AskedScope, held: readonly Scope[]): boolean =>
  scope === 'any'
    ? held.some((each) => !isKeyScope(each) && each !== acceptScope)
    : scopesGranting(scope).some((each) => held.includes(each));

/** Scope that reads the subject of another scope: `leads:read` for `leads:create`. */
export const readScopeOf = (scope: AskedScope): AskedScope =>
  scope === 'any' || scope === acceptScope ? scope : (meanings.get(scope)?.readBy ?? 'read');

/** Scopes without which nobody issues a key: the key does a part of what they allow. */
const neededForKey: Readonly<Record<KeyScope, readonly NarrowScope[]>> = {
  'forms:submit': ['leads:create', 'inquiries:create'],
  'calls:submit': ['leads:create', 'inquiries:create'],
  'receptionist:answer': ['receptionist:read', 'leads:read', 'appointments:read'],
};

/** The scopes of a token that a token with `held` may not issue, because they allow more. */
export const scopesBeyondHeld = (wanted: readonly Scope[], held: readonly Scope[]): Scope[] =>
  wanted.filter((scope) =>
    isKeyScope(scope) ? !neededForKey[scope].every((each) => isGranted(each, held)) : !isGranted(scope, held),
  );
