import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { Failure } from '../../shared/core/failure.ts';
import { readableBy } from '../../shared/http/forms/sites.ts';
import type { StageSettings } from './stage-settings.ts';
import { stackNameOf, type Stage } from './stage.ts';
import { blockedBy } from './watch/metrics.ts';

interface Props {
  stage: Stage;
  settings: Pick<
    StageSettings,
    'requestsPerTokenPerMinute' | 'requestsPerKeyPerMinute' | 'requestsPerKeyAndAddressPerMinute'
  >;
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'scope' | 'takesForms'>[];
}

/**
 * The seconds that a rate rule looks back, the shortest that there are. So after as many without a request, nothing is
 * counted any more: that is the `Retry-After`.
 */
const windowSeconds = 60;

/**
 * The answers of rules, by the names of their bodies, in the envelope. Each is wholly AWS WAF's, which knows no request
 * id: so the `requestId` is the same for all.
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
type Answer = keyof typeof answers;

function blockWith(answer: Answer): CfnWebACL.RuleActionProperty {
  const { kind, requestId, headers } = answers[answer];
  // They hold nothing of anyone, and the pages that send forms are on any site.
  const all = { ...headers, 'X-Request-Id': requestId, ...readableBy('*') };
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

/** What a rate rule counts by: the requests that have the same. Those that lack it are not counted. */
type CountedBy = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>;

const byParts = (...customKeys: CfnWebACL.RateBasedStatementCustomKeyProperty[]): CountedBy => ({
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys,
});

/** One token, however the scheme is spelled and the spaces are: `bearerPattern` takes each of them. */
const byAuthorization = byParts({
  header: {
    name: 'authorization',
    textTransformations: transformations('COMPRESS_WHITE_SPACE', 'LOWERCASE'),
  },
});

/** The `key` of a query, however it is percent-encoded. WAF finds it in any case: so `severalKeys` are refused. */
const keyOfQuery = {
  queryArgument: { name: 'key', textTransformations: transformations('URL_DECODE', 'LOWERCASE') },
};
const byKey = byParts(keyOfQuery);
const byKeyAndAddress = byParts(keyOfQuery, { ip: {} });

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

const keyRule = 'RequestsPerKey';

/**
 * The stack's own web ACL:
 * - Rate rules: at most so many requests a minute with one token, and ten times as many from one address. They come first,
 *   so that a flood costs the other rules nothing, and what a token has too much does not count for its address. WAF counts
 *   nearly, and takes some seconds to notice:
 *   https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html
 * - Rate rules of what is sent by a `key`, which is public: few from one address, so that one visitor is refused and not
 *   the business, then more from all of them. They count nothing but what takes a key.
 * - AWS's common rules, whose refusals are API Gateway's WAF_FILTERED: `gateway-responses.ts`. The one on the size of a
 *   body only counts, since bodies may have 256 KB, and its limit is 8. The others look at the first 16 KB of a body;
 *   what comes after reaches the function unseen, which checks all of it against its contract. They do not look at forms:
 *   a person may type what is like an attack, and a provider's webhook may lack a `User-Agent`.
 *   https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
export class WebAcl extends CfnWebACL {
  /** Requests that the rate of a key refuses, from all addresses together; undefined where nothing takes keys. */
  readonly blockedByKey: Metric | undefined;

  constructor(scope: Construct, id: string, { stage, settings, endpoints }: Props) {
    const { requestsPerTokenPerMinute: limit } = settings;
    const pathsOf = (some: Props['endpoints']) => some.map(({ path }) => path);
    const formPaths = pathsOf(endpoints.filter(({ takesForms }) => takesForms));
    const keyed = endpoints.filter(isKeyed);
    const rules: Rule[] = [
      rateRule('RequestsPerToken', { limit, ...byAuthorization }),
      ...(keyed.length > 0 ? keyRules(settings, sentTo(keyed)) : []),
      rateRule('RequestsPerAddress', { limit: tokensPerAddress * limit, ...byAddress }),
      {
        name: 'CommonRules',
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name: 'AWSManagedRulesCommonRuleSet',
            ruleActionOverrides: [{ name: 'SizeRestrictions_BODY', actionToUse: { count: {} } }],
            ...(formPaths.length > 0 && { scopeDownStatement: notFor(formPaths) }),
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

const rateRule = (
  name: string,
  by: Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>,
): Rule => ({
  name,
  statement: { rateBasedStatement: { ...by, evaluationWindowSec: windowSeconds } },
  action: blockWith('throttled'),
});

/** The rules of what is sent by a key. @param scopeDownStatement what they are about */
const keyRules = (
  { requestsPerKeyPerMinute, requestsPerKeyAndAddressPerMinute }: Props['settings'],
  scopeDownStatement: CfnWebACL.StatementProperty,
): Rule[] => [
  {
    name: 'SeveralKeys',
    statement: { andStatement: { statements: [scopeDownStatement, severalKeys] } },
    action: blockWith('severalKeys'),
  },
  rateRule('RequestsPerKeyAndAddress', {
    limit: requestsPerKeyAndAddressPerMinute,
    ...byKeyAndAddress,
    scopeDownStatement,
  }),
  rateRule(keyRule, { limit: requestsPerKeyPerMinute, ...byKey, scopeDownStatement }),
];

const matching = (
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  regexString: string,
  ...types: string[]
): CfnWebACL.StatementProperty => ({
  regexMatchStatement: { regexString, fieldToMatch, textTransformations: transformations(...types) },
});

/** Not the beginning of a path: the address of API Gateway has the stage there, a domain of its own nothing. */
const endOf = (paths: readonly string[]) => `(${paths.join('|')})/?$`;

/**
 * What comes for none of these paths. The path is not decoded: a variable's value may have an encoded slash, and decoded it
 * could end as one of these paths does.
 */
const notFor = (paths: readonly string[]): CfnWebACL.StatementProperty => ({
  notStatement: { statement: matching({ uriPath: {} }, endOf(paths), 'NONE') },
});

/** What is sent to these endpoints, however the path is written. What reaches none of them may be among it, and counts for little. */
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

/** `key`, each letter as it is or percent-encoded, in lower case; also with the sign for Kelvin, which becomes a `k`. */
const keyName = '(k|%[46]b|%e2%84%aa)(e|%[46]5)(y|%[57]9)';

/**
 * A query with two parameters that are `key` but for case and encoding. WAF counts by both together, so that another one beside the
 * key would make each request another, while the authorizer reads the one that is written exactly so. It is not decoded first: a
 * value may hold `&key=`. `;` parts parameters for some who read queries.
 */
const severalKeys = matching(
  { queryString: {} },
  `(^|[&;])${keyName}([=&;].*)?[&;]${keyName}([=&;]|$)`,
  'LOWERCASE',
);

/** In the order in which they are applied. */
function transformations(...types: string[]): CfnWebACL.TextTransformationProperty[] {
  return types.map((type, priority) => ({ type, priority }));
}

/** Samples tell an operator for three hours which rule refused what; `protectedFields` are not in them. */
function visibilityOf(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
