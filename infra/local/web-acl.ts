import { posix } from 'node:path';
import * as v from 'valibot';
import type { HttpResponse, HttpRequest } from './http-message.ts';

const Text = v.string();

const transformers = {
  NONE: (text: string) => text,
  LOWERCASE: (text: string) => text.toLowerCase(),
  COMPRESS_WHITE_SPACE: (text: string) => text.replaceAll(/[\s\u00A0]+/g, ' '),
  URL_DECODE: urlDecoded,
  NORMALIZE_PATH: (path: string) => posix.normalize(path),
};

const TextTransformations = v.array(
  v.strictObject({
    Priority: v.number(),
    Type: v.picklist(['NONE', 'LOWERCASE', 'COMPRESS_WHITE_SPACE', 'URL_DECODE', 'NORMALIZE_PATH']),
  }),
);
type TextTransformations = v.InferOutput<typeof TextTransformations>;

const CountedPart = v.strictObject({ Name: Text, TextTransformations });
type CountedPart = v.InferOutput<typeof CountedPart>;

const CountedBy = v.union([
  v.strictObject({ Header: CountedPart }),
  v.strictObject({ QueryArgument: CountedPart }),
  v.strictObject({ IP: v.strictObject({}) }),
]);

/** Statement that matches a part of a request against a pattern, or all of several such statements. */
type MatchStatement = v.InferOutput<typeof RegexMatch> | { AndStatement: { Statements: MatchStatement[] } };

const RegexMatch = v.strictObject({
  RegexMatchStatement: v.strictObject({
    RegexString: Text,
    FieldToMatch: v.union([
      v.strictObject({ Method: v.strictObject({}) }),
      v.strictObject({ UriPath: v.strictObject({}) }),
      v.strictObject({ QueryString: v.strictObject({}) }),
    ]),
    TextTransformations,
  }),
});
const MatchStatement: v.GenericSchema<unknown, MatchStatement> = v.union([
  RegexMatch,
  v.strictObject({ AndStatement: v.strictObject({ Statements: v.lazy(() => v.array(MatchStatement)) }) }),
]);

const limits = {
  Limit: v.number(),
  EvaluationWindowSec: v.number(),
  ScopeDownStatement: v.optional(MatchStatement),
};

const RateBasedStatement = v.variant('AggregateKeyType', [
  v.strictObject({ ...limits, AggregateKeyType: v.literal('IP') }),
  v.strictObject({ ...limits, AggregateKeyType: v.literal('CUSTOM_KEYS'), CustomKeys: v.array(CountedBy) }),
]);

const OwnRule = v.object({
  Name: Text,
  Priority: v.number(),
  Statement: v.union([v.strictObject({ RateBasedStatement }), MatchStatement]),
  Action: v.strictObject({
    Block: v.strictObject({
      CustomResponse: v.strictObject({
        ResponseCode: v.number(),
        CustomResponseBodyKey: Text,
        ResponseHeaders: v.array(v.strictObject({ Name: Text, Value: Text })),
      }),
    }),
  }),
  VisibilityConfig: v.object({ MetricName: Text }),
});
type OwnRule = v.InferOutput<typeof OwnRule>;

/** A rule of AWS's own. The template has only its name, so this machine does not evaluate it. */
const ManagedRule = v.object({ Statement: v.strictObject({ ManagedRuleGroupStatement: v.unknown() }) });

const contentTypes = {
  APPLICATION_JSON: 'application/json',
  TEXT_HTML: 'text/html',
  TEXT_PLAIN: 'text/plain',
};

/**
 * Web ACLs that this machine can run. Their rules count requests by addresses, headers and query arguments,
 * all requests or those that match patterns; or refuse requests that match patterns; or are AWS's own.
 */
export const WebAclProperties = v.object({
  DefaultAction: v.strictObject({ Allow: v.strictObject({}) }),
  Rules: v.array(v.union([OwnRule, ManagedRule])),
  VisibilityConfig: v.object({ MetricName: Text }),
  CustomResponseBodies: v.optional(
    v.record(
      Text,
      v.object({
        Content: Text,
        ContentType: v.picklist(['APPLICATION_JSON', 'TEXT_HTML', 'TEXT_PLAIN']),
      }),
    ),
    {},
  ),
});
export type WebAclProperties = v.InferOutput<typeof WebAclProperties>;

/** Parts of a request that rules read. */
type Counted = Pick<HttpRequest, 'method' | 'headers' | 'target' | 'sourceIp'>;

/** A refusal, with the names of the metrics of the ACL and of the rule. */
interface WebAclRefusal {
  answer: HttpResponse;
  by: Readonly<Record<'WebACL' | 'Rule', string>>;
}

/**
 * Evaluates the rules of a web ACL (AWS WAF), except AWS's own. API Gateway evaluates the ACL before
 * everything else:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-control-access-aws-waf.html
 *
 * A rate rule counts the requests of its last window that have the same address, header or query argument.
 * Requests beyond the limit are refused, and count as well. A rule ignores a request that lacks one of these
 * parts: https://docs.aws.amazon.com/waf/latest/APIReference/API_RateBasedStatementCustomKey.html
 *
 * AWS estimates the rate every few seconds, so its refusals begin and end some seconds late:
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html This
 * machine counts exactly, in whole seconds.
 */
export class WebAcl {
  readonly #bodies: WebAclProperties['CustomResponseBodies'];
  readonly #name: string;
  readonly #rules: { rule: OwnRule; refuses: (request: Counted) => boolean }[];

  constructor({ Rules, CustomResponseBodies, VisibilityConfig }: WebAclProperties, now: () => number) {
    this.#bodies = CustomResponseBodies;
    this.#name = VisibilityConfig.MetricName;
    this.#rules = Rules.filter((rule) => 'Action' in rule)
      .toSorted((one, other) => one.Priority - other.Priority)
      .map((rule) => ({ rule, refuses: refusalOf(rule.Statement, now) }));
  }

  /** Answer of the first rule that refuses the request; undefined if none does. */
  refusal(request: Counted): WebAclRefusal | undefined {
    const refusing = this.#rules.find(({ refuses }) => refuses(request));
    if (!refusing) return undefined;
    const { rule } = refusing;
    return {
      answer: this.#answerOf(rule),
      by: { WebACL: this.#name, Rule: rule.VisibilityConfig.MetricName },
    };
  }

  #answerOf({ Action }: OwnRule): HttpResponse {
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Action.Block.CustomResponse;
    const { Content, ContentType } = this.#bodies[CustomResponseBodyKey] ?? {
      Content: '',
      ContentType: 'TEXT_PLAIN',
    };
    const headers = ResponseHeaders.map(({ Name, Value }): [string, string] => [Name, Value]);
    return {
      status: ResponseCode,
      headers: { 'Content-Type': contentTypes[ContentType], ...Object.fromEntries(headers) },
      body: Content,
      outcomes: [],
    };
  }
}

/**
 * Creates a function that returns true if the rule refuses a request. A rate rule also counts the request.
 */
function refusalOf(statement: OwnRule['Statement'], now: () => number): (request: Counted) => boolean {
  if (!('RateBasedStatement' in statement)) return (request) => matches(request, statement);
  const { RateBasedStatement: rate } = statement;
  const { Limit, EvaluationWindowSec, ScopeDownStatement: scope } = rate;
  const rates = new Rates(EvaluationWindowSec, now);
  const parts = rate.AggregateKeyType === 'IP' ? [{ IP: {} }] : rate.CustomKeys;
  return (request) => {
    if (scope && !matches(request, scope)) return false;
    const values = parts.map((part) => countedIn(request, part));
    if (values.includes(undefined)) return false;
    return rates.count(JSON.stringify(values)) > Limit;
  };
}

function matches(request: Counted, statement: MatchStatement): boolean {
  if ('AndStatement' in statement)
    return statement.AndStatement.Statements.every((one) => matches(request, one));
  const { RegexString, FieldToMatch, TextTransformations } = statement.RegexMatchStatement;
  const [path = '', query = ''] = request.target.split(/\?(.*)/s);
  const text = 'Method' in FieldToMatch ? request.method : 'UriPath' in FieldToMatch ? path : query;
  return new RegExp(RegexString, 's').test(transformed(text, TextTransformations));
}

/** Counts how often each value came within the last seconds. */
class Rates {
  readonly #window: number;
  readonly #now: () => number;
  /** Counts per second of each value, the value that came last at the end. */
  readonly #seconds = new Map<string, Map<number, number>>();

  constructor(window: number, now: () => number) {
    this.#window = window;
    this.#now = now;
  }

  /** Counts a value, and returns its number within the window. */
  count(value: string): number {
    const now = Math.floor(this.#now() / 1000);
    const first = now - this.#window + 1;
    const seconds = this.#seconds.get(value) ?? new Map<number, number>();
    for (const second of seconds.keys()) if (second < first) seconds.delete(second);
    seconds.set(now, (seconds.get(now) ?? 0) + 1);
    this.#seconds.delete(value);
    this.#seconds.set(value, seconds);
    this.#forget(first);
    return [...seconds.values()].reduce((sum, number) => sum + number, 0);
  }

  /** Forgets the values that did not come since a second. */
  #forget(first: number): void {
    for (const [value, seconds] of this.#seconds) {
      if (Math.max(...seconds.keys()) >= first) return;
      this.#seconds.delete(value);
    }
  }
}

/** Part of a request that a rule counts by; undefined if the request lacks it. */
function countedIn(request: Counted, part: v.InferOutput<typeof CountedBy>): string | undefined {
  if ('IP' in part) return request.sourceIp;
  return 'Header' in part ? headerIn(request, part.Header) : argumentIn(request, part.QueryArgument);
}

/**
 * Value of the last header of a name, by which API Gateway authorizes. If an earlier one counted, each
 * request could look like another caller's. AWS does not document headers that occur twice:
 * docs/operations.md, What watches, and what refuses.
 */
function headerIn({ headers }: Counted, part: CountedPart): string | undefined {
  const name = part.Name.toLowerCase();
  const value = headers.findLast(([given]) => given.toLowerCase() === name)?.[1];
  return value === undefined ? undefined : transformed(value.trim(), part.TextTransformations);
}

/** Values of a query argument, percent-encoded as they came, since WAF reads the raw query. */
function argumentIn({ target }: Counted, part: CountedPart): string | undefined {
  const [, query = ''] = target.split(/\?(.*)/s);
  const name = part.Name.toLowerCase();
  const values = query
    .split('&')
    .map((pair) => pair.split(/=(.*)/s))
    .filter(([given = '']) => urlDecoded(given).toLowerCase() === name)
    .map(([, value = '']) => value);
  return values.length > 0 ? transformed(values.join(), part.TextTransformations) : undefined;
}

const transformed = (text: string, transformations: TextTransformations) =>
  transformations
    .toSorted((one, other) => one.Priority - other.Priority)
    .reduce((value, { Type }) => transformers[Type](value), text);

/** Decodes percent-encoding, and leaves invalid sequences as they are. */
function urlDecoded(text: string): string {
  return text.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
  });
}
