import type { KeyScope } from '../../../../shared/contract/scopes.ts';
import type { ClientToken, Planner } from '../planner.ts';

/** Secret that platforms sign with, for keys that have a secret. */
export const signingSecret = 'sign-with-this';

/** Headers of a platform that signs, usually with the right secret, or of a platform that does not sign. */
export const someSignature = ({ draw }: Planner): Record<string, string> =>
  draw.weighted([
    [{ 'X-Vapi-Secret': signingSecret }, 4],
    [{ Authorization: `Bearer ${signingSecret}` }, 4],
    [{ Authorization: 'Bearer something else' }, 1],
    [{}, 1],
  ]);

/**
 * Key of a request: usually the organization's first one with the scope, sometimes another one, or a token for something
 * else.
 */
export function someKey({ draw, organization, tokens }: Planner, scope: KeyScope): ClientToken {
  const own = tokens.filter((known) => known.organization === organization);
  const keys = own.filter(({ scopes }) => scopes.includes(scope));
  if (draw.happens(0.02)) return draw.pick(own);
  return draw.happens(0.7) ? keys[0]! : draw.pick(keys);
}
