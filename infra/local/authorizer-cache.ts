import * as v from 'valibot';

const Policy = v.object({
  principalId: v.string(),
  policyDocument: v.object({
    Statement: v.array(
      v.object({
        Effect: v.picklist(['Allow', 'Deny']),
        Resource: v.union([v.string(), v.array(v.string())]),
      }),
    ),
  }),
  context: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
});

/** Answer of a Lambda authorizer for a caller. */
export interface Authorization {
  /** Becomes `requestContext.authorizer` of the event, where API Gateway makes every value a string. */
  context: Record<string, string>;
  allows(methodArn: string): boolean;
}

/**
 * Caches the authorizers' answers for as long as the template says, as API Gateway does. The key is the
 * caller: the identity source and its value.
 */
export class AuthorizerCache {
  readonly #known = new Map<string, { authorization: Authorization; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  recall(caller: string): Authorization | undefined {
    const known = this.#known.get(caller);
    return known && known.until > this.#now() ? known.authorization : undefined;
  }

  /** Parses an authorizer's answer and caches it. Undefined if API Gateway would not accept the answer. */
  remember(caller: string, answer: string | undefined, seconds: number): Authorization | undefined {
    const result = v.safeParse(v.pipe(v.string(), v.parseJson(), Policy), answer);
    if (!result.success) return undefined;
    const { principalId, policyDocument, context } = result.output;
    const texts = Object.entries(context).map(([name, value]): [string, string] => [name, String(value)]);
    const authorization: Authorization = {
      context: { ...Object.fromEntries(texts), principalId },
      allows: (methodArn) => {
        const applying = policyDocument.Statement.filter(({ Resource }) =>
          [Resource].flat().some((pattern) => matches(pattern, methodArn)),
        );
        return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
      },
    };
    this.#known.set(caller, { authorization, until: this.#now() + seconds * 1000 });
    return authorization;
  }
}

/** True if a policy's resource covers an ARN. `*` stands for any text. */
function matches(pattern: string, arn: string): boolean {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  ).test(arn);
}
