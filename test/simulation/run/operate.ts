import { errorBody, failures } from '../../../shared/contract/errors.ts';
import { Failure } from '../../../shared/core/failure.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity, type Ledger } from '../../../shared/ledger/index.ts';
import type { Pool } from './pool.ts';
import { gatewayResponse, type HttpResponse, type Request } from './request.ts';
import type { World } from './world.ts';

/** Milliseconds for which an operator's command works. */
const patience = 13_500;

/**
 * Runs an operator's command in an environment of its own. The environment may die after about `awaits`
 * awaits.
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
        organization: organization.code as OrganizationCode,
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
