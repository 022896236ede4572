import * as v from 'valibot';

/** Settings of all methods of a stage. Settings of a single method are refused. */
export const MethodSettings = v.tuple([
  v.object({
    HttpMethod: v.literal('*'),
    ResourcePath: v.literal('/*'),
    ThrottlingRateLimit: v.optional(v.number()),
    ThrottlingBurstLimit: v.optional(v.number()),
  }),
]);

export interface ThrottlingLimits {
  /** Requests per second. */
  rate: number;
  /** Requests at once. */
  burst: number;
}

/** Limits of a stage; undefined if it sets none. */
export function limitsOf(
  settings: v.InferOutput<typeof MethodSettings> | undefined,
): ThrottlingLimits | undefined {
  const [{ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = {}] = settings ?? [];
  return rate === undefined || burst === undefined ? undefined : { rate, burst };
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * API Gateway's throttling: a token bucket per method, for all callers together. A request takes one token.
 * The rate refills the bucket each second, up to the burst. The limits of a stage apply to each of its
 * methods.
 *
 * - https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html: limits
 *   of a stage "are applied at the API method level"
 * - https://repost.aws/questions/QUB-bdxno6Trihvft3QfYcfg/client-api-throttling-in-api-gateway: the
 *   authorizer is not asked about a request that is throttled
 *
 * AWS has many hosts that each see a part of the requests, and promises no exact number. This machine counts
 * exactly.
 */
export class Throttling {
  readonly #limits: ThrottlingLimits | undefined;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: ThrottlingLimits | undefined, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes a token for a request to a method, such as `GET /v1/leads`. Returns false if none is left. */
  takes(method: string): boolean {
    if (!this.#limits) return true;
    const { rate, burst } = this.#limits;
    const now = this.#now();
    const bucket = this.#buckets.get(method) ?? { tokens: burst, at: now };
    this.#buckets.set(method, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * rate) / 1000);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
