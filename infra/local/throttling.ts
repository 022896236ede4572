import * as v from 'valibot';

/** The settings of all methods of a stage, the only ones that this machine knows; those of one method are refused. */
export const MethodSettings = v.tuple([
  v.object({
    HttpMethod: v.literal('*'),
    ResourcePath: v.literal('/*'),
    ThrottlingRateLimit: v.optional(v.number()),
    ThrottlingBurstLimit: v.optional(v.number()),
  }),
]);

export interface ThrottlingLimits {
  /** How many requests a second. */
  rate: number;
  /** How many at once. */
  burst: number;
}

/** The limits of a stage; undefined where it sets none. */
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
 * API Gateway's throttling: a bucket of tokens per method, for all callers together. A request takes one; as many come
 * back each second as the rate says, up to the burst. The limits of a stage are those of each of its methods.
 *
 * - https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html: limits of a stage
 *   "are applied at the API method level"
 * - https://repost.aws/questions/QUB-bdxno6Trihvft3QfYcfg/client-api-throttling-in-api-gateway: the authorizer is not
 *   asked about a request that is throttled
 *
 * AWS has many hosts, each with a part of the picture, and promises no exact number; this machine counts exactly.
 */
export class Throttling {
  readonly #limits: ThrottlingLimits | undefined;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: ThrottlingLimits | undefined, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whether a request to a method, such as `GET /v1/leads`, may go on: it then has its token. */
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
