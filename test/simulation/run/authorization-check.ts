import type { Authorization } from '../../../infra/local/gateway/proxy-event.ts';
import { isKeyScope } from '../../../shared/contract/scopes.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import type { Request } from './plan.ts';
import { checkOneOf } from './violation.ts';
import type { World } from './world.ts';

/** A token as sent: in a header, or as a key in the query. */
export interface Credential {
  token: string;
  isKey: boolean;
}

/**
 * Checks the authorizer's result: it must be right at some time while the authorizer ran. @throws Violation
 */
export function checkAuthorization(
  world: World,
  request: Request,
  { token, isKey }: Credential,
  authorization: Authorization | undefined,
): void {
  const name = `TOKEN#${hashToken(token)} TOKEN`;
  const grants = world.windowOf(request).values(name);
  const { context } = authorization ?? {};
  const observed = context && {
    organization: context['organization'],
    userId: context['userId'],
    scopes: context['scopes'],
    sites: context['sites'],
    tokenId: context['tokenId'],
    ...('signingSecret' in context && { signingSecret: context['signingSecret'] }),
  };
  const possible = grants.flatMap((stored) => {
    if (!stored) return [undefined];
    const { organization, userId, expiresAt, tokenId, signingSecret } = stored.fields;
    const [scopes, sites] = [stored.fields['scopes'], stored.fields['sites']].map((words) =>
      (words as string[]).join(' '),
    );
    // Many people can read an address, so only keys may be in it.
    if (isKey && !isKeyScope(String(scopes))) return [undefined];
    const granted = {
      organization,
      userId,
      scopes,
      sites,
      tokenId: String(tokenId),
      ...(signingSecret !== undefined && { signingSecret }),
    };
    if (expiresAt === null) return [granted];
    const end = Date.parse(expiresAt as string);
    const [from, to] = [request.startedAt + request.skew - 1, world.time.now + request.skew];
    return [...(end > from ? [granted] : []), ...(end <= to ? [undefined] : [])];
  });
  const rule = 'The authorizer must return a grant of the token that was valid while it ran';
  checkOneOf(rule, possible, observed);
}
