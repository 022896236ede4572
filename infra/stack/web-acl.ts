import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { agentAddressHeader } from '../../shared/contract/agents.ts';
import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { Failure } from '../../shared/core/failure.ts';
import { readableBy } from '../../shared/http/readable-by.ts';
import {
  isOfVisitors,
  policyHeader,
  rateLimits,
  windowSeconds,
  type RateLimit,
  type RateSettings,
} from './rate-limits.ts';
import { stackNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';
import { blockedBy } from './watch/metrics.ts';

interface Props {
  stage: Stage;
  settings: RateSettings;
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'scope' | 'takesForms' | 'takesEvents'>[];
}

/**
 * Answers of the rules, in the error envelope, by the names of their bodies. AWS WAF sends the answers
 * unchanged and knows no request id, so each `requestId` is a constant.
 * https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-for-blocked-requests.html
 */
const answers = {
  throttled: {
    kind: 'throttled',
    sentence: sentences.throttled,
    requestId: 'rate-limited',
    headers: { 'Retry-After': String(windowSeconds) },
  },
  severalKeys: { kind: 'invalid', sentence: sentences.otherKey, requestId: 'several-keys', headers: {} },
} as const;
type BlockAnswer = keyof typeof answers;

/** Blocks a request with an answer. @param more further headers of the answer */
function blockWith(answer: BlockAnswer, more: Record<string, string> = {}): CfnWebACL.RuleActionProperty {
  const { kind, requestId, headers } = answers[answer];
  // Any site may read these answers: they hold no one's data, and pages that send forms are on any site.
  const all = { ...headers, ...more, 'X-Request-Id': requestId, ...readableBy('*') };
  const customResponse = {
    responseCode: failures[kind].status,
    customResponseBodyKey: answer,
    responseHeaders: Object.entries(all).map(([name, value]) => ({ name, value })),
  };
  return { block: { customResponse } };
}

const bodies = Object.fromEntries(
  Object.entries(answers).map(([answer, { kind, sentence, requestId }]) => {
    const content = JSON.stringify(errorEnvelope(new Failure(kind, sentence), requestId));
    return [answer, { contentType: 'APPLICATION_JSON', content }];
  }),
);

/** Key of a rate rule's count of requests. A request without that key is not counted. */
type CountedBy = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>;

const byParts = (...customKeys: CfnWebACL.RateBasedStatementCustomKeyProperty[]): CountedBy => ({
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys,
});

/** Counts by token, however the scheme and the spaces are written: `bearerPattern` accepts each spelling. */
const byAuthorization = byParts({
  header: {
    name: 'authorization',
    textTransformations: transformations('COMPRESS_WHITE_SPACE', 'LOWERCASE'),
  },
});

/**
 * The `key` of a query, decoded. WAF finds it in any case, so `severalKeys` refuses queries with several
 * spellings.
 */
const keyOfQuery = {
  queryArgument: { name: 'key', textTransformations: transformations('URL_DECODE', 'LOWERCASE') },
};
const byKey = byParts(keyOfQuery);
const byKeyAndAddress = byParts(keyOfQuery, { ip: {} });

/** Counts by address, for a caller who makes up a token for each request, or sends none. */
const byAddress: CountedBy = { aggregateKeyType: 'IP' };

/**
 * Fields that WAF masks in samples and logs: tokens, and everything that clients send.
 * https://docs.aws.amazon.com/waf/latest/APIReference/API_DataProtectionConfig.html
 */
const protectedFields: CfnWebACL.DataProtectProperty[] = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
  { fieldType: 'SINGLE_QUERY_ARGUMENT' },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
].map((field) => ({ field, action: 'SUBSTITUTION' }));

const keyRule = 'RequestsPerKey';

/**
 * Web ACL of the stack:
 *
 * - Rate rules limit the requests a minute with one token. One address may send ten times as many, or a hundred times
 *   if the function for agents sends them. These rules come first, so that a flood does not pay for the other rules.
 *   The blocked requests of a token then do not count for its address either. WAF counts approximately, and takes some
 *   seconds to react:
 *   https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html
 * - Rate rules limit the requests with a `key`. The first limits one address to few requests to endpoints that take
 *   forms, so that one visitor is refused and not the business. The second limits the requests of all addresses
 *   together to endpoints that take a key. A voice platform sends the calls of a business from few addresses.
 * - AWS's common rules come last. API Gateway answers requests that these rules block by WAF_FILTERED:
 *   `gateway-responses.ts`. The rule on the size of a body only counts: bodies may have 256 KB, and its limit is 8 KB.
 *   The other rules inspect the first 16 KB of a body. The rest reaches the function, which checks all of it against
 *   its contract. The rules skip forms and events of calls. A person may type or say something that looks like an
 *   attack, and a provider's webhook may lack a `User-Agent`.
 *   https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
export class WebAcl extends CfnWebACL {
  /**
   * Number of requests that the rate of a key blocks, over all addresses. Undefined if no endpoint takes
   * keys.
   */
  readonly blockedByKey: Metric | undefined;

  constructor(scope: Construct, id: string, { stage, settings, endpoints }: Props) {
    const limits = rateLimits(settings);
    const pathsOf = (some: Props['endpoints']) => some.map(({ path }) => path);
    const typedPaths = pathsOf(endpoints.filter(({ takesForms, takesEvents }) => takesForms ?? takesEvents));
    const keyed = endpoints.filter(isKeyed);
    const ofVisitors = keyed.filter(isOfVisitors);
    const rules: Rule[] = [
      rateRule('RequestsPerToken', limits.token, byAuthorization),
      ...(keyed.length > 0 ? keyRules(limits, sentTo(keyed), ofVisitors) : []),
      rateRule('RequestsPerAddress', limits.address, {
        ...byAddress,
        scopeDownStatement: { notStatement: { statement: ofAgents } },
      }),
      rateRule('RequestsOfAgentsPerAddress', limits.agents, { ...byAddress, scopeDownStatement: ofAgents }),
      {
        name: 'CommonRules',
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name: 'AWSManagedRulesCommonRuleSet',
            ruleActionOverrides: [{ name: 'SizeRestrictions_BODY', actionToUse: { count: {} } }],
            ...(typedPaths.length > 0 && { scopeDownStatement: notFor(typedPaths) }),
          },
        },
      },
    ];
    super(scope, id, {
      name: stackNameOf(stage),
      description: 'Requests per token and address, and the common rules of AWS',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      customResponseBodies: bodies,
      rules: rules.map((rule, priority) => ({
        ...rule,
        priority,
        visibilityConfig: visibilityOf(rule.name),
      })),
      dataProtectionConfig: { dataProtections: protectedFields },
      visibilityConfig: visibilityOf(stackNameOf(stage)),
    });
    this.blockedByKey =
      keyed.length > 0 ? blockedBy({ WebACL: stackNameOf(stage), Rule: keyRule }, this.stack) : undefined;
  }
}

type Rule = Omit<CfnWebACL.RuleProperty, 'priority' | 'visibilityConfig'>;

/** Rule that counts requests. Its answer names the one rate that was exceeded. */
const rateRule = (
  name: string,
  rate: RateLimit,
  by: CountedBy & Pick<CfnWebACL.RateBasedStatementProperty, 'scopeDownStatement'>,
): Rule => ({
  name,
  statement: { rateBasedStatement: { limit: rate.limit, ...by, evaluationWindowSec: windowSeconds } },
  action: blockWith('throttled', { 'RateLimit-Policy': policyHeader([rate]) }),
});

/**
 * Rules for requests with a key. @param scopeDownStatement selects requests with a key @param ofVisitors endpoints with
 * a key on a page
 */
const keyRules = (
  { key, keyAndAddress }: Record<'key' | 'keyAndAddress', RateLimit>,
  scopeDownStatement: CfnWebACL.StatementProperty,
  ofVisitors: Props['endpoints'],
): Rule[] => [
  {
    name: 'SeveralKeys',
    statement: { andStatement: { statements: [scopeDownStatement, severalKeys] } },
    action: blockWith('severalKeys'),
  },
  ...(ofVisitors.length > 0
    ? [
        rateRule('RequestsPerKeyAndAddress', keyAndAddress, {
          ...byKeyAndAddress,
          scopeDownStatement: sentTo(ofVisitors),
        }),
      ]
    : []),
  rateRule(keyRule, key, { ...byKey, scopeDownStatement }),
];

const matching = (
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  regexString: string,
  ...types: string[]
): CfnWebACL.StatementProperty => ({
  regexMatchStatement: { regexString, fieldToMatch, textTransformations: transformations(...types) },
});

/** Matches calls of the API by the function for agents. */
const ofAgents = matching({ singleHeader: { Name: agentAddressHeader } }, '.', 'NONE');

/**
 * Matches the end of a path: API Gateway's own address puts the stage before it, and a custom domain does
 * not.
 */
const endOf = (paths: readonly string[]) => `(${paths.join('|')})/?$`;

/**
 * Matches requests for none of these paths. The path is not decoded: a variable may hold an encoded slash,
 * and a decoded path could then end like one of these.
 */
const notFor = (paths: readonly string[]): CfnWebACL.StatementProperty => ({
  notStatement: { statement: matching({ uriPath: {} }, endOf(paths), 'NONE') },
});

/**
 * Matches requests for these endpoints, however the path is written. Requests that reach no endpoint may also
 * match, which hardly adds to a count.
 */
function sentTo(endpoints: Props['endpoints']): CfnWebACL.StatementProperty {
  const methods = [...new Set(endpoints.map(({ method }) => method))];
  return {
    andStatement: {
      statements: [
        matching({ method: {} }, `^(${methods.join('|')})$`, 'NONE'),
        matching({ uriPath: {} }, endOf(endpoints.map(({ path }) => path)), 'URL_DECODE', 'NORMALIZE_PATH'),
      ],
    },
  };
}

/**
 * Matches `key` in lower case, with any letter percent-encoded. The Kelvin sign counts as a `k`, which it
 * becomes in lower case.
 */
const keyName = '(k|%[46]b|%e2%84%aa)(e|%[46]5)(y|%[57]9)';

/**
 * Matches a query with two parameters that differ from `key` in case and encoding at most. WAF counts by both
 * together, so a varying second parameter would evade the limit. The authorizer reads only the parameter
 * written exactly `key`. The query is not decoded first, because a value may hold `&key=`. Some parsers also
 * separate parameters by `;`.
 */
const severalKeys = matching(
  { queryString: {} },
  `(^|[&;])${keyName}([=&;].*)?[&;]${keyName}([=&;]|$)`,
  'LOWERCASE',
);

/** Numbers transformations in the order of their application. */
function transformations(...types: string[]): CfnWebACL.TextTransformationProperty[] {
  return types.map((type, priority) => ({ type, priority }));
}

/** Samples show an operator for three hours which rule blocked which request, without `protectedFields`. */
function visibilityOf(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
