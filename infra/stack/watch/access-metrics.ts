import { FilterPattern, type IFilterPattern, type JsonPattern } from 'aws-cdk-lib/aws-logs';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { failures } from '../../../shared/contract/errors.ts';
import type { AccessLogFieldName } from '../access-log.ts';

const all = (...patterns: JsonPattern[]) => FilterPattern.all(...patterns);
const any = (...patterns: JsonPattern[]) => FilterPattern.any(...patterns);
const has = (field: AccessLogFieldName, ...values: string[]): JsonPattern =>
  any(...values.map((value) => FilterPattern.stringValue(`$.${field}`, '=', value)));

/**
 * Lines of the access log that a metric counts, by the metric's name. Lines of functions do not have all of these
 * answers: a function that threw or timed out writes no line itself, and neither does a failing authorizer.
 * `failedLeads` is undefined if no endpoint brings leads in.
 */
export const accessPatterns = (endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'bringsLeads'>[]) => {
  const bringing = endpoints.filter(({ bringsLeads }) => bringsLeads);
  const underToken = has('route', '/v1/*');
  return {
    /** Answers of 500: answers of functions, and answers instead of a function that failed. */
    internalErrors: has('status', String(failures.internal.status)),
    /** Answers of 500 and above of the endpoints that bring leads in. */
    failedLeads:
      bringing.length > 0
        ? all(
            has('status', '5*'),
            any(...bringing.map(({ method, path }) => all(has('method', method), has('route', path)))),
          )
        : undefined,
    /** Requests of the routes that need a token. */
    tokenRequests: underToken,
    /** … with a token that the authorizer refused. */
    refusedTokens: all(underToken, has('refusedBy', 'UNAUTHORIZED', 'ACCESS_DENIED')),
    /** Requests beyond a rate of a method, the stage or the account. The web ACL refuses in another way. */
    throttledRequests: has('refusedBy', 'THROTTLED'),
  } satisfies Record<string, IFilterPattern | undefined>;
};

/** Name of a metric of the access log. */
export type AccessMetricName = keyof ReturnType<typeof accessPatterns>;
