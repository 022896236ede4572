import { checkResponse } from './response-check.ts';
import type { Draw } from './draw.ts';
import { Environment, type EnvironmentOptions } from './environment.ts';
import { OrganizationModel } from './model/organization-model.ts';
import { operate } from './operate.ts';
import { once, type Plan } from './plan.ts';
import { adding, numbersFor } from './plans/numbers.ts';
import { foundOrganization, issueFormToken } from './plans/tokens.ts';
import type { Pool } from './pool.ts';
import type { ClientToken } from './tokens.ts';
import type { World } from './world.ts';

const countries = ['AU', 'NZ', 'AU', 'AU'];

/** Runs an operator's command that must succeed, since nothing else is under way. */
async function operateAlone(world: World, pool: Pool, plan: Plan): Promise<void> {
  if (!('verb' in plan.call)) throw new Error('An operator can run only verbs');
  const request = world.newRequest(plan);
  const response = await operate(world, pool, request, { verb: plan.call.verb, awaits: Infinity });
  world.running.delete(request);
  try {
    checkResponse(world, request, response, { serverErrors: false });
    if (response.status !== 200) throw new Error(`An operator's command failed: ${JSON.stringify(response)}`);
    plan.then?.(response.body);
  } catch (error) {
    world.fail(error, request);
  }
}

/** Gives each organization its first number and a token for forms. */
export async function prepare(
  world: World,
  pool: Pool,
  { draw, tokens }: { draw: Draw; tokens: ClientToken[] },
): Promise<void> {
  const organizations = [...world.organizations.values()];
  for (const organization of organizations) {
    const [first] = numbersFor({ organization, organizations });
    await operateAlone(world, pool, adding({ organization, organizations }, first));
    await operateAlone(world, pool, issueFormToken({ draw, organization, tokens }));
  }
}

/** Gives each organization all its numbers back. */
export async function giveBackNumbers(world: World, pool: Pool): Promise<void> {
  const organizations = [...world.organizations.values()];
  for (const organization of organizations) {
    for (const number of numbersFor({ organization, organizations })) {
      await operateAlone(world, pool, adding({ organization, organizations }, number));
    }
  }
}

/** Founds organizations in sequence. Returns the first token of each. */
export async function foundAll(
  world: World,
  environmentOptions: EnvironmentOptions,
  count: number,
): Promise<ClientToken[]> {
  const tokens: ClientToken[] = [];
  for (let at = 0; at < count; at++) {
    const country = countries[at] ?? 'AU';
    const environment = new Environment(`founder-${at + 1}`, environmentOptions);
    const { found, store } = foundOrganization(environmentOptions.draw, country);
    // The founding itself draws the code, which its commit shows.
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
