import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { Failure } from '../../shared/core/failure.ts';
import type { StageSettings } from './stage-settings.ts';
import { stackNameOf, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'requestsPerTokenPerMinute' | 'requestsPerKeyPerMinute'>;
  /** The paths that take what people type into forms. */
  formPaths: readonly string[];
}

/**
 * The `requestId` of what a rate rule refuses, the same for all: such an answer is wholly AWS WAF's, and WAF knows no
 * request id. https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-for-blocked-requests.html
 */
export const rateLimitedRequestId = 'rate-limited';

/**
 * The seconds that a rate rule looks back, the shortest that there are. So after as many without a request, nothing is
 * counted any more: that is the `Retry-After`.
 */
const windowSeconds = 60;

const throttledBody = 'throttled';

/** The answer of a rate rule: 429 in the envelope, as API Gateway's own gateway response of that kind. */
const throttledAnswer = {
  responseCode: failures.throttled.status,
  customResponseBodyKey: throttledBody,
  responseHeaders: [
    { name: 'Retry-After', value: String(windowSeconds) },
    { name: 'X-Request-Id', value: rateLimitedRequestId },
  ],
};

/** What a rate rule counts by: the requests that have the same. Those that lack it are not counted. */
type CountedBy = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>;

const byPart = (part: CfnWebACL.RateBasedStatementCustomKeyProperty): CountedBy => ({
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [part],
});

/** One token, however the scheme is spelled and the spaces are: `bearerPattern` takes each of them. */
const byAuthorization = byPart({
  header: {
    name: 'authorization',
    textTransformations: transformations('COMPRESS_WHITE_SPACE', 'LOWERCASE'),
  },
});

/** A token in the `key` of a query, however it is percent-encoded. */
const byKey = byPart({
  queryArgument: { name: 'key', textTransformations: transformations('URL_DECODE', 'LOWERCASE') },
});

/** One caller who makes up a token for each request, or sends none. */
const byAddress: CountedBy = { aggregateKeyType: 'IP' };

/**
 * How many tokens one address can use to the full. An integrator sends the requests of many customers from one address,
 * and an office shares one.
 */
const tokensPerAddress = 10;

/**
 * What WAF blacks out in all that it keeps of a request, samples and logs alike: tokens, and what clients send.
 * https://docs.aws.amazon.com/waf/latest/APIReference/API_DataProtectionConfig.html
 */
const protectedFields: CfnWebACL.DataProtectProperty[] = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
  { fieldType: 'SINGLE_QUERY_ARGUMENT' },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
].map((field) => ({ field, action: 'SUBSTITUTION' }));

/**
 * The stack's own web ACL:
 * - Three rate rules: at most so many requests a minute with one token, fewer with one that is sent as `key` and so is
 *   public, and ten times as many as with a token from one address. They come first, so that a flood costs the other rules nothing, and what a token has too much does not
 *   count for its address. WAF counts nearly, and takes some seconds to notice:
 *   https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html
 * - AWS's common rules, whose refusals are API Gateway's WAF_FILTERED: `gateway-responses.ts`. The one on the size of a
 *   body only counts, since bodies may have 256 KB, and its limit is 8. The others look at the first 16 KB of a body;
 *   what comes after reaches the function unseen, which checks all of it against its contract. They do not look at forms:
 *   a person may type what is like an attack, and a provider's webhook may lack a `User-Agent`.
 *   https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
export class WebAcl extends CfnWebACL {
  constructor(scope: Construct, id: string, { stage, settings, formPaths }: Props) {
    const { requestsPerTokenPerMinute: limit, requestsPerKeyPerMinute } = settings;
    super(scope, id, {
      name: stackNameOf(stage),
      description: 'Requests per token and address, and the common rules of AWS',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      customResponseBodies: {
        [throttledBody]: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify(
            errorEnvelope(new Failure('throttled', sentences.throttled), rateLimitedRequestId),
          ),
        },
      },
      rules: [
        rateRule('RequestsPerToken', { priority: 0, limit, by: byAuthorization }),
        rateRule('RequestsPerKey', { priority: 1, limit: requestsPerKeyPerMinute, by: byKey }),
        rateRule('RequestsPerAddress', { priority: 2, limit: tokensPerAddress * limit, by: byAddress }),
        {
          name: 'CommonRules',
          priority: 3,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesCommonRuleSet',
              ruleActionOverrides: [{ name: 'SizeRestrictions_BODY', actionToUse: { count: {} } }],
              ...(formPaths.length > 0 && { scopeDownStatement: notFor(formPaths) }),
            },
          },
          visibilityConfig: visibilityOf('CommonRules'),
        },
      ],
      dataProtectionConfig: { dataProtections: protectedFields },
      visibilityConfig: visibilityOf('WebAcl'),
    });
  }
}

function rateRule(
  name: string,
  { priority, limit, by }: { priority: number; limit: number; by: CountedBy },
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { rateBasedStatement: { limit, evaluationWindowSec: windowSeconds, ...by } },
    action: { block: { customResponse: throttledAnswer } },
    visibilityConfig: visibilityOf(name),
  };
}

/**
 * What comes for none of these paths. Not from their beginning on: the address of API Gateway has the stage before them, a
 * domain of its own nothing. The path is not decoded: a variable's value may have an encoded slash, and decoded it could end as one
 * of these paths does.
 */
function notFor(paths: readonly string[]): CfnWebACL.StatementProperty {
  return {
    notStatement: {
      statement: {
        regexMatchStatement: {
          regexString: `(${paths.join('|')})/?$`,
          fieldToMatch: { uriPath: {} },
          textTransformations: transformations('NONE'),
        },
      },
    },
  };
}

/** In the order in which they are applied. */
function transformations(...types: string[]): CfnWebACL.TextTransformationProperty[] {
  return types.map((type, priority) => ({ type, priority }));
}

/** Samples tell an operator for three hours which rule refused what; `protectedFields` are not in them. */
function visibilityOf(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
