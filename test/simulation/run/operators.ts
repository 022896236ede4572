import { errorBody, failures } from '../../../shared/contract/errors.ts';
import { Failure } from '../../../shared/core/failure.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownersScopes } from '../../../shared/domain/tokens/tokens.ts';
import { newConsumedCapacity, type Ledger } from '../../../shared/ledger/index.ts';
import type { Draw } from './draw.ts';
import { Environment, type EnvironmentOptions, type Pool } from './environment.ts';
import { OrganizationModel } from './model/organization-model.ts';
import { gatewayResponse, once, type HttpResponse, type Plan, type Request } from './plan.ts';
import type { ClientToken } from './planner.ts';
import { adding, foundOrganization, issueFirstKeys, numbersFor } from './plans/operators.ts';
import { checkResponse } from './response-check.ts';
import type { World } from './world.ts';

/** Milliseconds that an operator's command works. */
const patience = 13_500;

/**
 * Runs an operator's command in a separate environment. The environment may die after about `awaits` awaits.
 */
export async function operate(
  world: World,
  pool: Pool,
  request: Request,
  { verb, awaits }: { verb: (ledger: Ledger) => Promise<unknown>; awaits: number },
): Promise<HttpResponse> {
  const { organization } = request.plan;
  const environment = await pool.take();
  world.start(request, environment.skew);
  request.userId = organization.ownerId;
  const ended = await environment.run(request, awaits, () =>
    verb(
      environment.store.ledgerOf({
        organization: organization.code,
        userId: organization.ownerId,
        deadline: environment.system.now() + patience,
        capacity: newConsumedCapacity(),
      }),
    ),
  );
  pool.give(environment);
  if (ended.is === 'value') {
    return { status: 200, body: JSON.parse(JSON.stringify(ended.value)), headers: {}, isFromGateway: false };
  }
  if (ended.is !== 'error') return gatewayResponse(502);
  return answerOf(ended.error, request);
}

/** Converts an error of an operator's command to a response. */
function answerOf(error: unknown, request: Request): HttpResponse {
  if (!(error instanceof Failure)) {
    request.log = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 500, body: { message: request.log }, headers: {}, isFromGateway: false };
  }
  const { retryAfter } = error.extras;
  return {
    status: failures[error.kind].status,
    body: JSON.parse(JSON.stringify(errorBody(error, 'operator'))) as unknown,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    isFromGateway: false,
  };
}

const countries = ['AU', 'NZ', 'AU', 'AU'];

/** Runs an operator's command that must succeed, because no other request is under way. */
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

/** Gives each organization its first number and its keys. */
export async function prepare(
  world: World,
  pool: Pool,
  { draw, tokens }: { draw: Draw; tokens: ClientToken[] },
): Promise<void> {
  const organizations = [...world.organizations.values()];
  for (const organization of organizations) {
    const [first] = numbersFor({ organization, organizations });
    await operateAlone(world, pool, adding({ organization }, first));
    for (const plan of issueFirstKeys({ draw, organization, tokens })) await operateAlone(world, pool, plan);
  }
}

/** Gives each organization all its numbers back. */
export async function giveBackNumbers(world: World, pool: Pool): Promise<void> {
  const organizations = [...world.organizations.values()];
  for (const organization of organizations) {
    for (const number of numbersFor({ organization, organizations })) {
      await operateAlone(world, pool, adding({ organization }, number));
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
    // The founding itself draws the code, which its commit shows.
    const unknown = new OrganizationModel('' as OrganizationCode, country);
    const plan: Plan = {
      operation: 'foundOrganization',
      organization: unknown,
      call: { verb: () => Promise.resolve() },
      store: once((change) => {
        change.observe();
      }),
    };
    const request = world.newRequest(plan);
    world.founding = { country, plan };
    world.start(request, environment.skew);
    const ended = await environment.run(request, Infinity, () =>
      foundOrganization(environment.store, environmentOptions.draw, country),
    );
    world.running.delete(request);
    if (ended.is !== 'value')
      throw new Error(`An organization could not be founded: ${JSON.stringify(ended)}`);
    tokens.push({
      organization: plan.organization,
      token: ended.value.token,
      id: 1,
      scopes: [...ownersScopes],
    });
  }
  return tokens;
}
