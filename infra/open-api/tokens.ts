import { answersRecord, type Endpoint } from '../../shared/contract/endpoint.ts';
import { readScopeOf, scopesGranting } from '../../shared/contract/scopes.ts';

/**
 * The tokens that an operation takes: each with a scope that is enough. Scopes as roles, which OpenAPI 3.1 allows beside
 * any scheme.
 */
export const securityOf = ({ scope }: Endpoint): { bearer: string[] }[] =>
  scope === 'public' ? [] : scopesGranting(scope).map((each) => ({ bearer: [each] }));

/** What an operation's description says of tokens: which scope it needs, and what a narrow token does not see. */
export function tokenSentences(endpoint: Endpoint): string {
  const { scope, related } = endpoint;
  if (scope === 'public') return 'It needs no token.';
  const [, ...wider] = scopesGranting(scope).map((each) => `\`${each}\``);
  const includes = wider.length > 1 ? 'include' : 'includes';
  const sentences = [`The token needs the scope \`${scope}\`, which ${wider.join(' and ')} ${includes}.`];
  const reading = readScopeOf(scope);
  const unseen = unseenBy(endpoint);
  if (reading !== scope && unseen.length > 0) sentences.push(`Without \`${reading}\`, ${unseen.join('; ')}.`);
  if (related) sentences.push(`Without \`${related.scope}\`, \`${related.in}\` has its \`id\` alone.`);
  return sentences.join(' ');
}

/** What one does not see who may change the records, and not read them. */
const unseenBy = (endpoint: Endpoint): string[] => [
  ...(endpoint.batch ? ['a record has its `id` alone'] : []),
  ...(answersRecord(endpoint) ? ['the record has its `id` alone, and there is no `ETag`'] : []),
  ...(endpoint.errors.includes(409) ? ['a 409 has no `existingId`'] : []),
];
