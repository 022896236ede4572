import type { Authorization } from '../../../infra/local/authorizer-cache.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import type { Request } from './request.ts';
import { same } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Checks what the authorizer said of a token: what it granted at some moment while the authorizer ran. @throws Violation */
export function checkAuthorization(
  world: World,
  request: Request,
  token: string,
  authorization: Authorization | undefined,
  skew: number,
): void {
  const name = `TOKEN#${hashToken(token)} TOKEN`;
  const grants = world.windowOf(request).values(name);
  const { context } = authorization ?? {};
  const seen = context && {
    organization: context['organization'],
    userId: context['userId'],
    scopes: context['scopes'],
  };
  const possible = grants.flatMap((stored) => {
    if (!stored) return [undefined];
    const { organization, userId, scopes, expiresAt } = stored.fields;
    const granted = { organization, userId, scopes: (scopes as string[]).join(' ') };
    if (expiresAt === null) return [granted];
    const end = Date.parse(expiresAt as string);
    const [from, to] = [request.startedAt + skew - 1, world.time.now + skew];
    return [...(end > from ? [granted] : []), ...(end <= to ? [undefined] : [])];
  });
  if (!possible.some((one) => same(one, seen))) {
    throw new Violation('A token must grant what it granted while the authorizer ran', {
      expected: possible,
      seen,
    });
  }
}
