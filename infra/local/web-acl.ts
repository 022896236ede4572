import * as v from 'valibot';
import type { WireAnswer, WireRequest } from './gateway.ts';

const Text = v.string();

const transformers = {
  NONE: (text: string) => text,
  LOWERCASE: (text: string) => text.toLowerCase(),
  COMPRESS_WHITE_SPACE: (text: string) => text.replaceAll(/[\s\u00A0]+/g, ' '),
  URL_DECODE: urlDecoded,
};

const CountedPart = v.strictObject({
  Name: Text,
  TextTransformations: v.array(
    v.strictObject({
      Priority: v.number(),
      Type: v.picklist(['NONE', 'LOWERCASE', 'COMPRESS_WHITE_SPACE', 'URL_DECODE']),
    }),
  ),
});
type CountedPart = v.InferOutput<typeof CountedPart>;

const limits = { Limit: v.number(), EvaluationWindowSec: v.number() };

const RateStatement = v.variant('AggregateKeyType', [
  v.strictObject({ ...limits, AggregateKeyType: v.literal('IP') }),
  v.strictObject({
    ...limits,
    AggregateKeyType: v.literal('CUSTOM_KEYS'),
    CustomKeys: v.strictTuple([
      v.union([v.strictObject({ Header: CountedPart }), v.strictObject({ QueryArgument: CountedPart })]),
    ]),
  }),
]);

const RateRule = v.object({
  Name: Text,
  Priority: v.number(),
  Statement: v.strictObject({ RateBasedStatement: RateStatement }),
  Action: v.strictObject({
    Block: v.strictObject({
      CustomResponse: v.strictObject({
        ResponseCode: v.number(),
        CustomResponseBodyKey: Text,
        ResponseHeaders: v.array(v.strictObject({ Name: Text, Value: Text })),
      }),
    }),
  }),
});

/** Of AWS's own rules the template has no more than the name, so this machine does not evaluate them. */
const ManagedRule = v.object({ Statement: v.strictObject({ ManagedRuleGroupStatement: v.unknown() }) });

const contentTypes = {
  APPLICATION_JSON: 'application/json',
  TEXT_HTML: 'text/html',
  TEXT_PLAIN: 'text/plain',
};

/** The web ACLs that this machine can run: rules that count by the address, one header or one part of the query, and AWS's own. */
export const WebAclProperties = v.object({
  DefaultAction: v.strictObject({ Allow: v.strictObject({}) }),
  Rules: v.array(v.union([RateRule, ManagedRule])),
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

/** What rules look at. */
type Counted = Pick<WireRequest, 'headers' | 'target' | 'sourceIp'>;

/**
 * The rate rules of a web ACL (AWS WAF). It comes before all else that API Gateway does:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-control-access-aws-waf.html
 *
 * A rule counts the requests of its last window that have the same address, header or part of the query. Those that come when the
 * limit is reached are refused, and count as well. A request without it is no matter of the rule:
 * https://docs.aws.amazon.com/waf/latest/APIReference/API_RateBasedStatementCustomKey.html
 *
 * AWS estimates the rate every few seconds, so it begins to refuse some seconds late, and ends late:
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html
 * This machine counts exactly, in whole seconds.
 */
export class WebAcl {
  readonly #bodies: WebAclProperties['CustomResponseBodies'];
  readonly #rules: { rule: v.InferOutput<typeof RateRule>; rates: Rates }[];

  constructor({ Rules, CustomResponseBodies }: WebAclProperties, now: () => number) {
    this.#bodies = CustomResponseBodies;
    this.#rules = Rules.filter((rule) => 'Action' in rule)
      .toSorted((one, other) => one.Priority - other.Priority)
      .map((rule) => ({
        rule,
        rates: new Rates(rule.Statement.RateBasedStatement.EvaluationWindowSec, now),
      }));
  }

  /** The answer of the first rule that refuses the request; undefined if it may go on. */
  refusal(request: Counted): WireAnswer | undefined {
    for (const { rule, rates } of this.#rules) {
      const statement = rule.Statement.RateBasedStatement;
      const value = countedIn(request, statement);
      if (value !== undefined && rates.count(value) > statement.Limit) return this.#answerOf(rule);
    }
    return undefined;
  }

  #answerOf({ Action }: v.InferOutput<typeof RateRule>): WireAnswer {
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

/** How often each value came within the last seconds. */
class Rates {
  readonly #window: number;
  readonly #now: () => number;
  /** By value, the one that came last at the end: how often it came in each second. */
  readonly #seconds = new Map<string, Map<number, number>>();

  constructor(window: number, now: () => number) {
    this.#window = window;
    this.#now = now;
  }

  /** Counts one more of a value, and tells how many there are. */
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

/** What a rule counts a request by, if the request has it. */
function countedIn(request: Counted, statement: v.InferOutput<typeof RateStatement>): string | undefined {
  if (statement.AggregateKeyType === 'IP') return request.sourceIp;
  const [key] = statement.CustomKeys;
  return 'Header' in key ? headerIn(request, key.Header) : argumentIn(request, key.QueryArgument);
}

/**
 * The header that API Gateway authorizes by, the last: one before it would make each request another. AWS documents
 * nothing of a header that comes twice: docs/operations.md, What watches, and what refuses.
 */
function headerIn({ headers }: Counted, part: CountedPart): string | undefined {
  const name = part.Name.toLowerCase();
  const value = headers.findLast(([given]) => given.toLowerCase() === name)?.[1];
  return value === undefined ? undefined : transformed(value.trim(), part);
}

/** WAF sees the query as it came, so its values are percent-encoded. */
function argumentIn({ target }: Counted, part: CountedPart): string | undefined {
  const [, query = ''] = target.split(/\?(.*)/s);
  const name = part.Name.toLowerCase();
  const values = query
    .split('&')
    .map((pair) => pair.split(/=(.*)/s))
    .filter(([given = '']) => urlDecoded(given).toLowerCase() === name)
    .map(([, value = '']) => value);
  return values.length > 0 ? transformed(values.join(), part) : undefined;
}

const transformed = (text: string, { TextTransformations }: CountedPart) =>
  TextTransformations.toSorted((one, other) => one.Priority - other.Priority).reduce(
    (value, { Type }) => transformers[Type](value),
    text,
  );

/** What is no percent-encoding stays as it is. */
function urlDecoded(text: string): string {
  return text.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
  });
}
