import type { CustomResponse, RegexMatchStatement, Statement, WebACL } from '@aws-sdk/client-wafv2';
import { posix } from 'node:path';
import * as v from 'valibot';
import { agentAddressHeader } from '../../../shared/contract/agents.ts';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../infra/functions.ts';
import type { StageSettings } from '../../../infra/stack/settings-schema.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { ErrorEnvelope, errorEnvelope, sentences } from '../../../shared/contract/errors.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { bearerPattern } from '../../../shared/domain/tokens/grant-of-token.ts';
import { fileSettings, getLead, submitForm, templateWith } from '../../support/template/made-up-stack.ts';

interface Environment {
  Variables: Record<string, string>;
}
const webAclArn = 'arn:aws:wafv2:us-east-1:123456789012:regional/webacl/sales/0a1b-2c3d';

function build(settings: Partial<StageSettings>, operations = [getLead, submitForm]) {
  const { of, one, definition } = templateWith({ settings, operations });
  return {
    acls: of('AWS::WAFv2::WebACL'),
    associations: of('AWS::WAFv2::WebACLAssociation').map(([, { Properties }]) => Properties),
    stageName: one('AWS::ApiGateway::Stage').id,
    gatewayResponses: definition['x-amazon-apigateway-gateway-responses'],
  };
}

const own = build({
  webAcl: 'own',
  requestsPerTokenPerMinute: 321,
  requestsPerKeyPerMinute: 32,
  requestsPerKeyAndAddressPerMinute: 12,
});
const acl = own.acls[0]![1].Properties as unknown as WebACL;
const rules = acl.Rules!.toSorted((one, other) => one.Priority! - other.Priority!);
const rateRules = rules.flatMap(({ Action, Statement: { RateBasedStatement: by } = {} }) =>
  by ? [{ by, answer: Action!.Block!.CustomResponse! }] : [],
);
const bodyOf = ({ CustomResponseBodyKey: key }: CustomResponse) => acl.CustomResponseBodies![key!]!;

/** AWS WAF's transformations of a text, as far as the rules use them. */
const transform: Record<string, (text: string) => string> = {
  COMPRESS_WHITE_SPACE: (text) => text.replaceAll(/\s+/g, ' '),
  LOWERCASE: (text) => text.toLowerCase(),
  NONE: (text) => text,
  NORMALIZE_PATH: (path) => posix.normalize(path),
  URL_DECODE: decodeURIComponent,
};
const transformed = (
  text: string,
  { TextTransformations }: Pick<RegexMatchStatement, 'TextTransformations'>,
) =>
  TextTransformations!
    .toSorted((one, other) => one.Priority! - other.Priority!)
    .reduce((result, { Type }) => transform[Type!]!(result), text);

/** Regular expressions of a statement of several. */
const regexesOf = (statement?: Statement) =>
  (statement?.AndStatement?.Statements ?? []).flatMap((one) => one.RegexMatchStatement ?? []);

const isMatch = (text: string, by: RegexMatchStatement) =>
  new RegExp(by.RegexString!).test(transformed(text, by));

/** Headers with which AWS WAF lets scripts of web pages read its answer. */
const readable = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id, Idempotency-Replayed',
};

const token = `sk_live_${'a'.repeat(36)}`;
const otherToken = `sk_live_${'b'.repeat(36)}`;

describe('the web ACL of the stack', () => {
  test('counts the requests of a minute by token, before any other rule, as many as is set', () => {
    expect(rules.map(({ Name }) => Name)).toEqual([
      'RequestsPerToken',
      'SeveralKeys',
      'RequestsPerKeyAndAddress',
      'RequestsPerKey',
      'RequestsPerAddress',
      'RequestsOfAgentsPerAddress',
      'CommonRules',
    ]);
    const ofToken = { Limit: 321, EvaluationWindowSec: 60, AggregateKeyType: 'CUSTOM_KEYS' };
    expect(rateRules.slice(0, 3).map(({ by }) => by)).toMatchObject([
      { ...ofToken, CustomKeys: [{ Header: { Name: 'authorization' } }] },
      // Lower limits, because anyone can read a key. The limit of one visitor comes first.
      { ...ofToken, Limit: 12, CustomKeys: [{ QueryArgument: { Name: 'key' } }, { IP: {} }] },
      { ...ofToken, Limit: 32, CustomKeys: [{ QueryArgument: { Name: 'key' } }] },
    ]);
  });

  test('counts of keys only what is sent to endpoints that take them, however their path is written', () => {
    const scopes = rateRules.map(({ by }) => by.ScopeDownStatement);
    expect(scopes.map((scope) => scope !== undefined)).toEqual([false, true, true, true, true]);
    for (const scope of scopes.slice(1, 3)) {
      const [method, path] = regexesOf(scope);
      expect(method).toMatchObject({ RegexString: '^(POST)$', FieldToMatch: { Method: {} } });
      expect(path).toMatchObject({
        RegexString: '(/v1/forms/submissions)/?$',
        FieldToMatch: { UriPath: {} },
        TextTransformations: [{ Type: 'URL_DECODE' }, { Type: 'NORMALIZE_PATH' }],
      });
      const written = [
        '//v1//forms//submissions/',
        '/v1/x/../%66orms/submissions',
        '/v1/./forms/submissions',
      ];
      for (const spelling of written) expect(isMatch(spelling, path!), spelling).toBe(true);
      for (const other of ['/v1/nothing', '/v1/forms/submissions/1', '*'])
        expect(isMatch(other, path!), other).toBe(false);
    }
  });

  test('refuses a second key in any case, so that no made-up one counts instead', () => {
    const { Action, Statement } = rules[1]!;
    const several = regexesOf(Statement).at(-1)!;
    expect(Statement!.AndStatement!.Statements![0]).toEqual(rateRules[1]!.by.ScopeDownStatement);
    expect(several.FieldToMatch).toEqual({ QueryString: {} });
    const key = token;
    const refused = [
      ...[`KEY=x&key=${key}`, `key=${key}&key=x`, `k%45Y&a=1&ke%79=${key}`],
      ...[`key=${key};Key=x`, `%E2%84%AAey=x&key=${key}`, `key&key=${key}`],
    ];
    for (const query of refused) expect(isMatch(query, several), query).toBe(true);
    const fields = ['q=1', 'monkey=1', 'key2=1', 'utm=%26key%3Dx', 'keys=1&hotkey=2'];
    for (const field of fields) expect(isMatch(`key=${key}&${field}`, several), field).toBe(false);
    const { CustomResponse } = Action!.Block!;
    expect(CustomResponse).toMatchObject({
      ResponseCode: 400,
      ResponseHeaders: Object.entries({ 'X-Request-Id': 'several-keys', ...readable }).map(
        ([Name, Value]) => ({ Name, Value }),
      ),
    });
    const failure = new Failure('invalid', sentences.otherKey);
    expect(JSON.parse(bodyOf(CustomResponse!).Content!)).toEqual(errorEnvelope(failure, 'several-keys'));
  });

  test.each(['UNAUTHORIZED', 'THROTTLED'])("lets scripts read API Gateway's own %s, too", (type) => {
    const { responseParameters } = own.gatewayResponses[type]!;
    for (const [name, value] of Object.entries(readable))
      expect(responseParameters[`gatewayresponse.header.${name}`]).toBe(`'${value}'`);
  });

  test('counts by address whatever the tokens, what the function for agents sends apart, and lets its mark end no limit', () => {
    const [others, ofAgents] = rateRules.slice(-2).map(({ by }) => by);
    expect(ofAgents).toMatchObject({
      Limit: 32_100,
      AggregateKeyType: 'IP',
      ScopeDownStatement: {
        RegexMatchStatement: {
          RegexString: '.',
          FieldToMatch: { SingleHeader: { Name: agentAddressHeader } },
        },
      },
    });
    const NotStatement = { Statement: ofAgents!.ScopeDownStatement };
    expect(others).toMatchObject({
      Limit: 3210,
      AggregateKeyType: 'IP',
      ScopeDownStatement: { NotStatement },
    });
  });

  test('counts by address only keys of websites, since a platform sends calls from few addresses, and none where nothing takes one', () => {
    const { takesForms, ...endpoint } = submitForm.endpoint;
    const sendEvent: Operation = {
      ...submitForm,
      operationId: 'sendEvent',
      endpoint: { ...endpoint, path: '/v1/calls/events', takesEvents: takesForms! },
    };
    const pathsOf = (...operations: Operation[]) => {
      const { Rules } = build({ webAcl: 'own' }, operations).acls[0]![1].Properties as unknown as WebACL;
      return Rules!.flatMap(({ Name, Statement }) => {
        const [, path] = regexesOf(Statement?.RateBasedStatement?.ScopeDownStatement);
        return path ? [[Name, path.RegexString]] : [];
      });
    };
    expect(pathsOf(submitForm, sendEvent)).toEqual([
      ['RequestsPerKeyAndAddress', '(/v1/forms/submissions)/?$'],
      ['RequestsPerKey', '(/v1/forms/submissions|/v1/calls/events)/?$'],
    ]);
    expect(pathsOf(sendEvent)).toEqual([['RequestsPerKey', '(/v1/calls/events)/?$']]);
    expect(pathsOf(getLead)).toEqual([]);
  });

  test('names its metrics after itself and its rules, by which alarms know them', () => {
    expect(acl.VisibilityConfig!.MetricName).toBe('SalesPipeline-prod');
    for (const { Name, VisibilityConfig } of rules) expect(VisibilityConfig!.MetricName).toBe(Name);
  });

  test('counts a token as one, however the header or the query spells it, and two tokens as two', () => {
    const header = rateRules[0]!.by.CustomKeys![0]!.Header!;
    const spellings = ['Bearer ', 'bearer ', 'BEARER  ', 'bEaReR    '].map((start) => `${start}${token}`);
    for (const spelling of spellings) expect(spelling).toMatch(new RegExp(bearerPattern));
    const counted = (texts: string[], by: Parameters<typeof transformed>[1]) =>
      new Set(texts.map((text) => transformed(text, by))).size;
    expect(counted(spellings, header)).toBe(1);
    expect(counted([`Bearer ${token}`, `Bearer ${otherToken}`], header)).toBe(2);
    const key = rateRules[1]!.by.CustomKeys![0]!.QueryArgument!;
    expect(counted([token, token.replace('s', '%73'), token.replace('_', '%5f')], key)).toBe(1);
    expect(counted([token, otherToken], key)).toBe(2);
  });

  test('refuses what is too much with 429 in the envelope, as API Gateway does, and says when to try again', () => {
    const { responseTemplates } = own.gatewayResponses['THROTTLED']!;
    expect(rateRules).toHaveLength(5);
    const exceeded = [
      '"token";q=321',
      '"key-and-address";q=12',
      '"key";q=32',
      '"address";q=3210',
      '"agents";q=32100',
    ];
    for (const [at, { answer }] of rateRules.entries()) {
      expect(answer).toMatchObject({
        ResponseCode: 429,
        ResponseHeaders: [
          { Name: 'Retry-After', Value: '60' },
          { Name: 'RateLimit-Policy', Value: `${exceeded[at]};w=60` },
          { Name: 'X-Request-Id', Value: 'rate-limited' },
          ...Object.entries(readable).map(([Name, Value]) => ({ Name, Value })),
        ],
      });
      const { Content = '', ContentType } = bodyOf(answer);
      expect(ContentType).toBe('APPLICATION_JSON');
      const envelope = v.parse(v.pipe(v.string(), v.parseJson(), ErrorEnvelope), Content);
      expect(envelope).toEqual({
        ...(JSON.parse(responseTemplates['application/json']!) as object),
        requestId: 'rate-limited',
      });
      // AWS's quota of a custom response body.
      expect(Buffer.byteLength(Content)).toBeLessThanOrEqual(4096);
    }
  });

  test('has each function tell the rates that count its requests', () => {
    const { takesForms, ...sendsEvents } = submitForm.endpoint;
    const made = (operationId: string, endpoint: Endpoint): Operation => ({
      ...getLead,
      operationId,
      endpoint,
    });
    const events = made('submitEvent', { ...sendsEvents, takesEvents: takesForms! });
    const open = made('getOpen', { ...getLead.endpoint, scope: 'public', path: '/open' });
    const operations = [getLead, submitForm, events, open];
    const policiesWith = (webAcl: string) => {
      const { of } = templateWith({ settings: { webAcl }, operations });
      return of('AWS::Lambda::Function')
        .map(
          ([, { Properties }]) => (Properties['Environment'] as Environment).Variables['RATE_LIMIT_POLICY'],
        )
        .filter(Boolean)
        .sort();
    };
    const { requestsPerKeyPerMinute, requestsPerKeyAndAddressPerMinute } = fileSettings('prod');
    const rates = [`"key";q=${requestsPerKeyPerMinute};w=60`, '"address";q=15000;w=60'];
    expect(policiesWith('own')).toEqual([
      '"address";q=15000;w=60',
      rates.join(', '),
      `"key-and-address";q=${requestsPerKeyAndAddressPerMinute};w=60, ${rates.join(', ')}`,
      '"token";q=1500;w=60, "address";q=15000;w=60',
    ]);
    expect([policiesWith('none'), policiesWith(webAclArn)]).toEqual([[], []]);
    const { responseParameters } = own.gatewayResponses['THROTTLED']!;
    expect(Object.keys(responseParameters).join()).not.toContain('RateLimit-Policy');
  });

  test('applies the common rules of AWS as they are, but only counts large bodies', () => {
    const { Action, ...commonRules } = rules[6]!;
    expect(Action).toBeUndefined();
    expect(commonRules).toMatchObject({
      OverrideAction: { None: {} },
      Statement: {
        ManagedRuleGroupStatement: { VendorName: 'AWS', Name: 'AWSManagedRulesCommonRuleSet' },
      },
    });
    expect(commonRules.Statement).toHaveProperty('ManagedRuleGroupStatement.RuleActionOverrides', [
      { Name: 'SizeRestrictions_BODY', ActionToUse: { Count: {} } },
    ]);
    const { statusCode, responseTemplates } = own.gatewayResponses['WAF_FILTERED']!;
    expect(statusCode).toBe('403');
    expect(JSON.parse(responseTemplates['application/json']!)).toMatchObject({ error: { status: 403 } });
  });

  test('does not look at forms by the common rules, whatever is before or behind their path, and at nothing else less', () => {
    const { ScopeDownStatement } = rules[6]!.Statement!.ManagedRuleGroupStatement!;
    const { RegexString, ...how } = ScopeDownStatement!.NotStatement!.Statement!.RegexMatchStatement!;
    expect(how).toEqual({
      FieldToMatch: { UriPath: {} },
      // The path is not decoded, because an encoded slash separates nothing.
      TextTransformations: [{ Priority: 0, Type: 'NONE' }],
    });
    const isLeftOut = (path: string) => new RegExp(RegexString!).test(path);
    // API Gateway's address has the stage before the path, a custom domain does not. A trailing slash means
    // the same path.
    for (const path of ['/prod/v1/forms/submissions', '/v1/forms/submissions', '/v1/forms/submissions/'])
      expect(isLeftOut(path), path).toBe(true);
    for (const path of ['/v1/leads', '/v1/leads/v1%2Fforms%2Fsubmissions', '/v1/forms/submissions/1'])
      expect(isLeftOut(path), path).toBe(false);
  });

  test('keeps no token and nothing that clients send in its samples and logs', () => {
    const field = (FieldType: string, FieldKeys?: string[]) => ({
      Action: 'SUBSTITUTION',
      Field: { FieldType, ...(FieldKeys && { FieldKeys }) },
    });
    expect(acl.DataProtectionConfig!.DataProtections).toEqual([
      field('SINGLE_HEADER', ['authorization']),
      field('SINGLE_QUERY_ARGUMENT'),
      field('QUERY_STRING'),
      field('BODY'),
    ]);
  });
});

describe('the API', () => {
  const associated = (stageName: string, WebACLArn: unknown) => [
    {
      WebACLArn,
      ResourceArn: { 'Fn::Join': ['', expect.arrayContaining([{ Ref: stageName }]) as unknown] },
    },
  ];

  test('is behind the web ACL of the stack', () => {
    expect(own.acls).toHaveLength(1);
    const [[id, { Properties }]] = own.acls as [(typeof own.acls)[0]];
    expect(own.associations).toEqual(associated(own.stageName, { 'Fn::GetAtt': [id, 'Arn'] }));
    expect(Properties).toMatchObject({
      Name: 'SalesPipeline-prod',
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
    });
  });

  test('is behind one that is there, or behind none', () => {
    const named = build({ webAcl: webAclArn });
    expect(named.acls).toEqual([]);
    expect(named.associations).toEqual(associated(named.stageName, webAclArn));
    expect(build({ webAcl: 'none' })).toMatchObject({ acls: [], associations: [] });
  });
});
