import { beforeEach, expect, test } from 'vitest';
import { parseResource } from '../../../infra/local/template/resources.ts';
import { WebAcl, type WebAclProperties } from '../../../infra/local/web-acl.ts';

let now: number;
beforeEach(() => {
  now = 0;
});

type Transformation = 'NONE' | 'LOWERCASE' | 'COMPRESS_WHITE_SPACE' | 'URL_DECODE' | 'NORMALIZE_PATH';

const transformedBy = (...transformations: Transformation[]) => ({
  TextTransformations: transformations.map((Type, Priority) => ({ Type, Priority })),
});
const part = (Name: string, transformations: Transformation[]) => ({
  Name,
  ...transformedBy(...transformations),
});
const byHeader = { Header: part('Authorization', ['COMPRESS_WHITE_SPACE', 'LOWERCASE']) };
const byKey = { QueryArgument: part('key', ['URL_DECODE', 'LOWERCASE']) };

const byAddress = { AggregateKeyType: 'IP' as const };
const by = (...CustomKeys: (typeof byHeader | typeof byKey | { IP: object })[]) => ({
  AggregateKeyType: 'CUSTOM_KEYS' as const,
  CustomKeys,
});
const answer = (name: string) => ({
  Block: {
    CustomResponse: {
      ResponseCode: 429,
      CustomResponseBodyKey: 'throttled',
      ResponseHeaders: [{ Name: 'Retry-After', Value: name }],
    },
  },
});
const matching = (
  RegexString: string,
  FieldToMatch: { Method: object } | { UriPath: object } | { QueryString: object },
  ...transformations: Transformation[]
) => ({
  RegexMatchStatement: { RegexString, FieldToMatch, ...transformedBy(...transformations) },
});

const rule = (
  Name: string,
  Priority: number,
  counted: typeof byAddress | ReturnType<typeof by>,
  Limit: number,
) => ({
  Name,
  Priority,
  Statement: { RateBasedStatement: { Limit, EvaluationWindowSec: 60, ...counted } },
  Action: answer(Name),
  VisibilityConfig: { MetricName: Name },
});

const properties: WebAclProperties = {
  DefaultAction: { Allow: {} },
  Rules: [
    { Statement: { ManagedRuleGroupStatement: { Name: 'AWSManagedRulesCommonRuleSet' } } },
    rule('address', 2, byAddress, 20),
    rule('key', 1, by(byKey), 3),
    rule('header', 0, by(byHeader), 3),
  ],
  VisibilityConfig: { MetricName: 'acl' },
  CustomResponseBodies: { throttled: { ContentType: 'APPLICATION_JSON', Content: '{"own":true}' } },
};

const newWebAcl = () => new WebAcl(properties, () => now);

/** Rule that refuses a request with this header and this target, if one does. */
const refusing = (webAcl: WebAcl, authorization?: string, target = '/a', sourceIp = '192.0.2.1') =>
  webAcl.refusal({
    method: 'GET',
    headers: authorization === undefined ? [] : [['authorization', authorization]],
    target,
    sourceIp,
  })?.answer.headers['Retry-After'];

const times = <T>(count: number, work: () => T) => Array.from({ length: count }, work);

test("a token beyond its limit is refused with the rule's answer, and another token is not", () => {
  const webAcl = newWebAcl();
  expect(times(3, () => refusing(webAcl, 'Bearer x'))).toEqual([undefined, undefined, undefined]);
  expect(
    webAcl.refusal({
      method: 'GET',
      headers: [['Authorization', 'Bearer x']],
      target: '/b',
      sourceIp: '192.0.2.1',
    }),
  ).toEqual({
    answer: {
      status: 429,
      headers: { 'Content-Type': 'application/json', 'Retry-After': 'header' },
      body: '{"own":true}',
      outcomes: [],
    },
    by: { WebACL: 'acl', Rule: 'header' },
  });
  expect(refusing(webAcl, 'Bearer y')).toBeUndefined();
});

test('requests count during the window, also refused ones', () => {
  const webAcl = newWebAcl();
  times(3, () => refusing(webAcl, 'Bearer x'));
  now = 59_999;
  expect(refusing(webAcl, 'Bearer x')).toBe('header');
  now = 60_000;
  expect(times(2, () => refusing(webAcl, 'Bearer x'))).toEqual([undefined, undefined]);
  expect(refusing(webAcl, 'Bearer x')).toBe('header');
  now = 3_600_000;
  expect(refusing(webAcl, 'Bearer x')).toBeUndefined();
});

test('spelling and spaces of an Authorization header do not matter', () => {
  const webAcl = newWebAcl();
  for (const text of ['Bearer  x', 'bearer x', 'BEARER\tx']) expect(refusing(webAcl, text)).toBeUndefined();
  expect(refusing(webAcl, 'Bearer X')).toBe('header');
});

test('encoding and position of a key in the query do not matter', () => {
  const webAcl = newWebAcl();
  for (const target of ['/a?key=x%5f1', '/b?q=1&KEY=x_1', '/?key=X_1&key2=2'])
    expect(refusing(webAcl, undefined, target)).toBeUndefined();
  expect(refusing(webAcl, undefined, '/a?%6bey=%78%5F1')).toBe('key');
  expect(refusing(webAcl, undefined, '/a?key=x_2')).toBeUndefined();
});

test('the last of two headers counts, by which API Gateway authorizes', () => {
  const webAcl = newWebAcl();
  const sending = (...values: string[]) =>
    webAcl.refusal({
      method: 'GET',
      headers: values.map((value) => ['authorization', value]),
      target: '/a',
      sourceIp: '192.0.2.1',
    })?.answer.headers['Retry-After'];
  for (const first of ['x1', 'x2', 'x3']) expect(sending(first, 'Bearer x')).toBeUndefined();
  expect(sending('x4', 'Bearer x')).toBe('header');
  expect(sending('Bearer x', 'Bearer y')).toBeUndefined();
});

test('an address beyond its limit is refused, whatever tokens it sends, and another is not', () => {
  const webAcl = newWebAcl();
  for (let at = 0; at < 20; at++) expect(refusing(webAcl, `Bearer ${at}`)).toBeUndefined();
  expect(refusing(webAcl, 'Bearer x')).toBe('address');
  expect(refusing(webAcl)).toBe('address');
  expect(refusing(webAcl, 'Bearer x', '/a', '2001:db8::1')).toBeUndefined();
});

test('a request refused by its token does not count for its address', () => {
  const webAcl = newWebAcl();
  times(100, () => refusing(webAcl, 'Bearer x'));
  expect(refusing(webAcl, 'Bearer y')).toBeUndefined();
});

test('a rule ignores a request that lacks the part that it counts by', () => {
  const webAcl = newWebAcl();
  for (let at = 0; at < 10; at++) expect(refusing(webAcl, undefined, '/a?monkey=x')).toBeUndefined();
});

test('rules are evaluated in order, and the first that refuses answers', () => {
  const webAcl = newWebAcl();
  times(3, () => refusing(webAcl, 'Bearer x', '/a?key=x'));
  expect(refusing(webAcl, 'Bearer x', '/a?key=x')).toBe('header');
  expect(refusing(webAcl, 'Bearer y', '/a?key=x')).toBe('key');
});

test('a rate of two parts counts requests with the same values of both, and ignores those that lack one', () => {
  const both = rule('both', 0, by(byKey, { IP: {} }), 1);
  const webAcl = new WebAcl({ ...properties, Rules: [both] }, () => now);
  for (const [target, from] of [
    ['/?key=x', '192.0.2.1'],
    ['/?key=x', '192.0.2.2'],
    ['/?key=y', '192.0.2.1'],
    ['/', '192.0.2.1'],
    ['/', '192.0.2.1'],
  ])
    expect(refusing(webAcl, undefined, target, from)).toBeUndefined();
  expect(refusing(webAcl, undefined, '/?key=x', '192.0.2.2')).toBe('both');
});

test('a rule with a scope ignores other requests, however their path is written', () => {
  const scope = {
    AndStatement: {
      Statements: [
        matching('^POST$', { Method: {} }, 'NONE'),
        matching('/forms/?$', { UriPath: {} }, 'URL_DECODE', 'NORMALIZE_PATH'),
      ],
    },
  };
  const counted = rule('some', 0, { ...by(byKey), ScopeDownStatement: scope } as ReturnType<typeof by>, 0);
  const several = {
    ...rule('several', 1, byAddress, 0),
    Statement: {
      AndStatement: { Statements: [scope, matching('a=.*a=', { QueryString: {} }, 'LOWERCASE')] },
    },
  };
  const webAcl = new WebAcl({ ...properties, Rules: [counted, several] }, () => now);
  const refusedBy = (method: string, target: string) =>
    webAcl.refusal({ method, target, headers: [], sourceIp: '192.0.2.1' })?.by.Rule;
  for (const path of ['/v1/forms', '/v1/forms/', '//v1//x/../%66orms', '/v1/./forms'])
    expect(refusedBy('POST', `${path}?key=x`), path).toBe('some');
  expect(refusedBy('POST', '/v1/forms?a=1&A=2')).toBe('several');
  for (const target of ['/v1/forms/1?key=x', '/v1/forms?a=1', '*'])
    expect(refusedBy('POST', target)).toBeUndefined();
  expect(refusedBy('GET', '/v1/forms?key=x&a=1&a=2')).toBeUndefined();
});

test.each([
  [{ DefaultAction: { Block: {} } }],
  [{ Rules: [{ ...rule('header', 0, by(byHeader), 3), Action: { Block: {} } }] }],
  [{ Rules: [rule('header', 0, by({ Header: part('x', ['MD5' as 'NONE']) }), 3)] }],
  [{ Rules: [{ Name: 'x', Priority: 0, Statement: { GeoMatchStatement: {} } }] }],
])('an unsupported web ACL is refused: %j', (change) => {
  const resource = { Type: 'AWS::WAFv2::WebACL', Properties: { ...properties, ...change } };
  expect(() => parseResource('WebAcl', resource)).toThrow(
    /^The local machine cannot run WebAcl \(AWS::WAFv2::WebACL\): Properties\.(DefaultAction|Rules)/,
  );
});
