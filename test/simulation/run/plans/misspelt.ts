import { findContracts } from '../../../../infra/functions.ts';
import { isKeyed, type Endpoint } from '../../../../shared/contract/endpoint.ts';
import { invalid, type Problem, type ErrorResponse } from '../model/refusal.ts';
import type { HttpCall, Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';

const { operations } = await findContracts();
/** OperationIds of the endpoints that take a Bearer token and satisfy `fits`. */
const where = (fits: (endpoint: Endpoint) => boolean): string[] =>
  operations
    .filter(({ endpoint }) => endpoint.scope !== 'public' && !isKeyed(endpoint) && fits(endpoint))
    .map(({ operationId }) => operationId);

const withPages = where(({ query }) => query !== undefined && 'page' in query.entries);
const withBody = where(({ body }) => body !== undefined);
const withoutBody = where(({ body }) => body === undefined);

/** A request with an unknown or a repeated query parameter. */
export function misspelt({ draw, organization }: Planner): Plan {
  const name = draw.pick(['nope', 'Page', 'constructor', '__proto__']);
  const unknown: Problem = { field: name, message: 'is not a known query parameter' };
  const repeated: Problem = { field: 'page', message: 'is given more than once' };
  const [call, problem]: [HttpCall, ErrorResponse] = draw.pick<[HttpCall, ErrorResponse]>([
    [{ endpoint: draw.pick(withoutBody), query: { [name]: '1' } }, invalid(unknown)],
    [{ endpoint: draw.pick(withBody), query: { [name]: ['1', '1'] }, body: '{}' }, invalid(unknown)],
    [{ endpoint: draw.pick(withPages), query: { page: ['1', '1'] } }, invalid(repeated)],
    [{ endpoint: draw.pick(withPages), query: { page: ['1', '2'], [name]: '' } }, invalid(repeated, unknown)],
  ]);
  return { operation: 'misspelt query', organization, call, refusals: () => [problem] };
}

/**
 * A request without a valid token: with none, with a mistyped one, or with another token of the organization.
 */
function withoutToken({ draw, organization }: Planner): Plan {
  const token = draw.pick(['', 'sk_test_0', `sk_live_${'0'.repeat(36)}`]);
  return {
    operation: 'no token',
    organization,
    call: { endpoint: 'listLeads' },
    token,
    refusedBefore: { status: 401 },
  };
}

export const plans: readonly WeightedPlan[] = [
  [misspelt, 0.5],
  [withoutToken, 0.3],
];
