import * as v from 'valibot';
import { maxSites, siteOf } from '../core/sites.ts';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import {
  filledLine,
  line,
  numberInPath,
  pathId,
  recordId,
  recordNumber,
  timestamp,
  timestampInput,
} from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { isKeyScope, issuedScopes, keyScopes, maxLiveTokens, type Scope } from './scopes.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'tokens';

export const tagDescription = 'The tokens and keys of the organization: who may use the API, and for what';

const keyList = (of: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(of);
const ofForms: Scope = 'forms:submit';
const ofRinging: Scope = 'receptionist:answer';
/** Scopes of keys that voice platforms send. */
export const platformScopes: readonly Scope[] = keyScopes.filter((scope) => scope !== ofForms);

/** Parts of a new token that depend on each other. */
interface TokenParts {
  scopes: readonly Scope[];
  sites?: readonly string[] | undefined;
  hasSecret: boolean;
}

/** Problem of the parts of a new token; undefined if they go together. The only place with these rules. */
export function problemOfParts({
  scopes,
  sites,
  hasSecret,
}: TokenParts): { field: 'scopes' | 'sites' | 'secret'; message: string } | undefined {
  if (scopes.length > 1 && scopes.some(isKeyScope))
    return {
      field: 'scopes',
      message: `must be ${keyList(keyScopes)} alone, or without it: issue a token for each`,
    };
  const isForForms = scopes.includes(ofForms);
  const isForPlatforms = scopes.some((scope) => platformScopes.includes(scope));
  if (isForForms && !sites?.length)
    return {
      field: 'sites',
      message: `must have, for ${ofForms}, the websites whose forms may send the key, such as https://www.harbourplumbing.example`,
    };
  if (!isForForms && sites !== undefined && sites.length > 0)
    return { field: 'sites', message: `goes with ${ofForms} alone` };
  if (hasSecret && !isForPlatforms)
    return { field: 'secret', message: `goes with ${keyList(platformScopes)} alone` };
  if (!hasSecret && scopes.includes(ofRinging))
    return {
      field: 'secret',
      message:
        `must be given for ${ofRinging}, because the key tells who has a phone number. If the platform does not make a ` +
        'secret, make one of 32 random bytes',
    };
  return undefined;
}

/** A token as the API shows it: docs/reference/tokens.md, Access token. */
export const AccessToken = v.strictObject({
  id: recordNumber,
  name: v.string(),
  scopes: v.array(v.string()),
  sites: v.array(v.string()),
  isSigned: v.boolean(),
  userId: v.string(),
  createdAt: timestamp,
  expiresAt: v.nullable(timestamp),
  lastUsedOn: v.nullable(v.string()),
  revokedAt: v.nullable(timestamp),
  replacedBy: v.nullable(recordNumber),
});
export type AccessToken = v.InferOutput<typeof AccessToken>;

/** A token that was just issued, with the token itself. */
export const IssuedAccessToken = v.strictObject({ ...AccessToken.entries, value: v.string() });
export type IssuedAccessToken = v.InferOutput<typeof IssuedAccessToken>;

const name = filledLine(100);

/** Websites of a key, each once, as browsers write them. */
const sites = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check(
        (site) => siteOf(site) !== undefined,
        'must be a website such as https://www.harbourplumbing.example; name each subdomain',
      ),
      v.transform((site) => siteOf(site) ?? site),
    ),
  ),
  v.maxLength(maxSites),
  v.transform((given) => [...new Set(given)]),
);

/** Secret of a platform. Nobody guesses 16 characters, and KMS encrypts 4 KB at once. */
const secret = v.pipe(
  line(500),
  v.check((value) => /^\S{16,}$/.test(value), 'must have at least 16 characters, and no spaces'),
);

const overlapHours = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(720)));

/** A scope that a token can be issued with. */
export const TokenScope = v.picklist(issuedScopes, `must be one of ${issuedScopes.join(', ')}`);

const tokenScopes = v.pipe(
  v.array(TokenScope),
  v.minLength(1),
  v.transform((given) => issuedScopes.filter((scope) => given.includes(scope))),
);

/** Body to issue a token. */
export const NewAccessToken = v.strictObject({
  name,
  scopes: tokenScopes,
  userId: v.optional(recordId('user')),
  expiresAt: v.optional(v.nullable(timestampInput)),
  sites: v.optional(sites),
  secret: v.optional(secret),
});
export type NewAccessToken = v.InferOutput<typeof NewAccessToken>;

/** Body of a change of a token. Fields that are left out stay. */
export const AccessTokenChanges = v.strictObject({ name: v.optional(name), sites: v.optional(sites) });
export type AccessTokenChanges = v.InferOutput<typeof AccessTokenChanges>;

/** Body of a rotation. */
export const TokenRotation = v.strictObject({
  overlapHours,
  expiresAt: v.optional(v.nullable(timestampInput)),
});
export type TokenRotation = v.InferOutput<typeof TokenRotation>;

/** Body of a new signing secret. */
export const KeySecret = v.strictObject({ secret, overlapHours });
export type KeySecret = v.InferOutput<typeof KeySecret>;

export const AccessTokenPage = pageSchema('tokens', AccessToken);
export const AccessTokenEnvelope = v.strictObject({ token: AccessToken });
export const IssuedTokenEnvelope = v.strictObject({ token: IssuedAccessToken });
export const AccessTokenRevoked = v.strictObject({ message: v.literal('Token revoked successfully') });

export const descriptions = {
  AccessToken: {
    is: 'A token, or a key, without its value: only a hash of the value is stored',
    fields: {
      name: 'What its holders call it',
      scopes:
        'The scopes that it was issued with. The role of its user bounds them: `GET /v1/token` tells what is left',
      sites: 'The websites whose forms may send it; empty for any other token',
      isSigned: 'Whether requests with it must be signed with its secret',
      userId: 'The user that it acts for',
      expiresAt: 'When it expires; null for never',
      lastUsedOn:
        'The last day (UTC) on which it was used; null if it was not used, or not since its user was enabled',
      revokedAt: 'When it was revoked; null if it was not',
      replacedBy: 'The token that replaces it; null if it was not rotated',
    },
  },
  TokenScope: { is: 'A part of what a token may do' },
  IssuedAccessToken: {
    is: 'A new token',
    like: 'AccessToken',
    fields: { value: 'The token itself. It is not shown again' },
  },
  NewAccessToken: {
    is: 'The body to issue a token',
    like: 'AccessToken',
    fields: {
      scopes: "What it may do. A scope of a key stands alone. It never allows more than the caller's token",
      userId: 'The user that it acts for; the user of the token of the request when not given',
      expiresAt: 'When it expires; never when not given',
      sites: 'The websites whose forms may send it, for `forms:submit` alone',
      secret:
        'The secret that a voice platform signs its requests with, for `calls:submit` and `receptionist:answer` alone. It is ' +
        'stored encrypted and not shown',
    },
  },
  AccessTokenChanges: {
    is: 'The body to change a token',
    like: 'AccessToken',
    fields: { sites: 'The websites whose forms may send it, in place of all that there were' },
  },
  TokenRotation: {
    is: 'How a token is replaced',
    fields: {
      overlapHours: 'How long the old token works on, in hours: 24 when not given, and 0 revokes it',
      expiresAt:
        "When the new token expires; after the old token's span of life when not given, and never for null",
    },
  },
  KeySecret: {
    is: 'A new signing secret of a key',
    fields: {
      secret: 'The new secret. It is stored encrypted and not shown',
      overlapHours: 'How long the old secret signs, too, in hours: 24 when not given',
    },
  },
  AccessTokenEnvelope: { is: 'A token', fields: { token: 'The token' } },
  IssuedTokenEnvelope: { is: 'A new token', fields: { token: 'The token' } },
  AccessTokenPage: { is: 'A page of tokens', fields: { tokens: 'The tokens of this page' } },
  AccessTokenRevoked: {
    is: 'The answer to the revocation of a token',
    fields: { message: 'Always the same sentence' },
  },
} satisfies Descriptions;

export const tokenId = pathId('token', numberInPath);

const example = {
  id: 4,
  name: 'Website',
  scopes: ['leads:create'],
  sites: [],
  isSigned: false,
  userId: 'user_6H8EV88000000001',
  createdAt: '2026-11-02T08:00:00.000Z',
  expiresAt: null,
  lastUsedOn: '2026-11-03',
  revokedAt: null,
  replacedBy: null,
};
const issued = { ...example, lastUsedOn: null, value: 'sk_live_4fP2mXq7Lk9sVb1TzR8cWd3YhJ6nGa0B1x2Y' };
const key = { ...example, id: 5, name: 'Retell', scopes: ['calls:submit'], isSigned: true };

/** A sentence about the tokens that a caller manages. */
const managed =
  "An ADMIN's token manages no token of an OWNER: a 403. A token never gives more than it has: a 403 names the scopes.";

export const listAccessTokensEndpoint = endpoint({
  method: 'GET',
  path: '/v1/tokens',
  scope: 'tokens:read',
  access: ['GetItem', 'Query', 'TransactGetItems grant'],
  summary: 'List tokens, newest first',
  description: 'All tokens and keys, also revoked and expired ones, and those of invitations.',
  params: {},
  query: PageQuery,
  responses: { 200: AccessTokenPage },
  errors: [],
  extension: true,
  example: pageExample('tokens', example),
});

export const getAccessTokenEndpoint = endpoint({
  method: 'GET',
  path: '/v1/tokens/{tokenId}',
  scope: 'tokens:read',
  access: ['GetItem', 'TransactGetItems grant'],
  summary: 'Read a token',
  description:
    'Without its value, which is shown once. `GET /v1/token` tells about the token of the request.',
  params: { tokenId },
  responses: { 200: AccessTokenEnvelope },
  record: { in: 'token' },
  errors: [404],
  extension: true,
  example: { params: { tokenId: '4' }, response: { token: example } },
});

export const createAccessTokenEndpoint = endpoint({
  method: 'POST',
  path: '/v1/tokens',
  scope: 'tokens:create',
  access: ['GetItem', 'PutItem', 'PutItem grant'],
  uses: 'secrets',
  summary: 'Issue a token or a key',
  description:
    'The `value` is shown once. The token works at once. ' +
    `${managed} A member has at most ${maxLiveTokens} tokens that are neither revoked nor expired: a 409.`,
  params: {},
  body: NewAccessToken,
  responses: { 201: IssuedTokenEnvelope },
  errors: [409],
  extension: true,
  example: { body: { name: 'Website', scopes: ['leads:create'] }, response: { token: issued } },
});

export const updateAccessTokenEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/tokens/{tokenId}',
  scope: 'tokens:write',
  access: ['GetItem', 'PutItem', 'UpdateItem grant', 'TransactGetItems grant'],
  summary: 'Rename a token, or change the websites of a key',
  description:
    "Fields that are left out stay unchanged. Other websites hold within the authorizer's cache time. " +
    managed,
  params: { tokenId },
  body: AccessTokenChanges,
  readOnly: Object.keys(AccessToken.entries).filter((field) => !(field in AccessTokenChanges.entries)),
  responses: { 200: AccessTokenEnvelope },
  record: { in: 'token' },
  errors: [404, 409],
  extension: true,
  example: {
    params: { tokenId: '4' },
    body: { name: 'Website of Glebe' },
    response: { token: { ...example, name: 'Website of Glebe' } },
  },
});

export const rotateAccessTokenEndpoint = endpoint({
  method: 'POST',
  path: '/v1/tokens/{tokenId}/rotate',
  scope: 'tokens:write',
  access: [
    'GetItem',
    'PutItem',
    'PutItem grant',
    'UpdateItem grant',
    'DeleteItem grant',
    'TransactGetItems grant',
  ],
  uses: 'secrets',
  summary: 'Replace a token by a new one',
  description:
    'The `value` of the new token is shown once. It has the name, scopes, websites, secret and user of the old token, which ' +
    `works on for an overlap. A token that was rotated, revoked or has expired is a 409. ${managed}`,
  params: { tokenId },
  body: TokenRotation,
  responses: { 200: IssuedTokenEnvelope },
  errors: [404, 409],
  extension: true,
  example: { params: { tokenId: '3' }, body: { overlapHours: 48 }, response: { token: issued } },
});

export const rotateKeySecretEndpoint = endpoint({
  method: 'POST',
  path: '/v1/tokens/{tokenId}/rotate-secret',
  scope: 'tokens:write',
  access: ['GetItem', 'PutItem', 'UpdateItem grant', 'TransactGetItems grant'],
  uses: 'givenSecrets',
  summary: 'Replace the signing secret of a key',
  description:
    'For keys of voice platforms alone. Both secrets sign during the overlap, so change the secret on the platform meanwhile. ' +
    "It holds within the authorizer's cache time. " +
    managed,
  params: { tokenId },
  body: KeySecret,
  responses: { 200: AccessTokenEnvelope },
  errors: [404, 409],
  extension: true,
  example: {
    params: { tokenId: '5' },
    body: { secret: 'key_4f0c9b7a51e24d6f8a3b' },
    response: { token: key },
  },
});

export const deleteAccessTokenEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/tokens/{tokenId}',
  scope: 'tokens:write',
  access: ['GetItem', 'PutItem', 'DeleteItem grant', 'TransactGetItems grant'],
  summary: 'Revoke a token for good',
  description:
    "Requests with it are refused within the authorizer's cache time. The token stays in the list, as revoked, and revoking " +
    `it again changes nothing. ${managed}`,
  params: { tokenId },
  responses: { 200: AccessTokenRevoked },
  errors: [404],
  extension: true,
  example: { params: { tokenId: '4' }, response: { message: 'Token revoked successfully' } },
});
