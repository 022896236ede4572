import { answersRecord, isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { memberRoles, scopesBeyond } from '../../shared/contract/roles.ts';
import { readScopeOf, scopesGranting } from '../../shared/contract/scopes.ts';

/** Ways to send a token. */
export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of the organization, such as `sk_live_…`',
  },
  key: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description:
      'A token of the organization that may be seen by anyone, since it is good for one thing alone',
  },
};

/**
 * Tokens that an operation takes, by the scopes that are enough. The scopes stand as roles, which OpenAPI 3.1
 * allows with any scheme.
 */
export function securityOf({ scope }: Endpoint): Record<string, string[]>[] {
  if (scope === 'public') return [];
  if (scope === 'any') return [{ bearer: [] }];
  const scheme = isKeyed({ scope }) ? 'key' : 'bearer';
  return scopesGranting(scope).map((each) => ({ [scheme]: [each] }));
}

/**
 * Sentences about tokens in an operation's description: the needed scope, and the parts that a token without
 * the scope to read does not see.
 */
export function tokenSentences(endpoint: Endpoint): string {
  const { scope, related } = endpoint;
  if (scope === 'public') return 'The operation needs no token.';
  if (scope === 'any') return 'The operation takes each token but a key, whatever its scopes.';
  if (isKeyed(endpoint))
    return `The operation needs a token with the scope \`${scope}\`, as \`key\` in the query, and takes no other.`;
  const [, ...wider] = scopesGranting(scope).map((each) => `\`${each}\``);
  const includes = wider.length > 1 ? 'include' : 'includes';
  const widerOnes = wider.length > 0 ? wider.join(' and ') : 'no other scope';
  const sentences = [`The token needs the scope \`${scope}\`, which ${widerOnes} ${includes}.`];
  const roles = memberRoles.filter((role) => scopesBeyond(role).some((each) => each === scope));
  if (roles.length > 0) sentences.push(`No token of a member with the role ${roles.join(' or ')} has it.`);
  const reading = readScopeOf(scope);
  const unseen = unseenBy(endpoint);
  if (reading !== scope && unseen.length > 0) sentences.push(`Without \`${reading}\`, ${unseen.join('; ')}.`);
  if (related) sentences.push(`Without \`${related.scope}\`, \`${related.in}\` has its \`id\` alone.`);
  return sentences.join(' ');
}

/** Parts of a response that are hidden from a caller who may change the records and not read them. */
const unseenBy = (endpoint: Endpoint): string[] => [
  ...(endpoint.batch ? ['a record has its `id` alone'] : []),
  ...(answersRecord(endpoint) ? ['the record has its `id` alone, and there is no `ETag`'] : []),
  ...(endpoint.errors.includes(409) ? ['a 409 has no `existingId`'] : []),
];
