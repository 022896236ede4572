import { Environment, type Surroundings } from './environment.ts';
import { OrganizationModel } from './model/organization-model.ts';
import { once, type Plan } from './plan.ts';
import { foundOrganization } from './plans/tokens.ts';
import type { KnownToken } from './tokens.ts';
import type { World } from './world.ts';

const countries = ['AU', 'NZ', 'AU', 'AU'];

/** Founds organizations, one after the other; gives the first token of each. */
export async function foundAll(
  world: World,
  surroundings: Surroundings,
  count: number,
): Promise<KnownToken[]> {
  const tokens: KnownToken[] = [];
  for (let at = 0; at < count; at++) {
    const country = countries[at] ?? 'AU';
    const environment = new Environment(`founder-${at + 1}`, surroundings);
    const { found, store } = foundOrganization(surroundings.draw, country);
    // The code is drawn by the founding itself: the commit tells it.
    const unknown = new OrganizationModel('', country);
    const plan: Plan = {
      operation: 'foundOrganization',
      organization: unknown,
      call: { verb: () => Promise.resolve() },
      stages: once(store),
    };
    const request = world.newRequest(plan);
    world.founding = { country, plan };
    world.start(request, environment.skew);
    const ended = await environment.run(request, Infinity, () => found(environment.store));
    world.running.delete(request);
    if (ended.is !== 'value')
      throw new Error(`An organization could not be founded: ${JSON.stringify(ended)}`);
    tokens.push({
      organization: plan.organization,
      token: ended.value.token,
      id: 1,
      scopes: ['read', 'write'],
    });
  }
  return tokens;
}
