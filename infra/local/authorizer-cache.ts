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

/** A Lambda authorizer's answer for a caller. */
export interface Authorization {
  /** Goes into the event as `requestContext.authorizer`, where API Gateway makes every value a string. */
  context: Record<string, string>;
  allows(methodArn: string): boolean;
}

/** Caches the authorizers' answers by caller (what a request says in an authorizer's place for it), for as long as the template says, as API Gateway does. */
export class AuthorizerCache {
  readonly #known = new Map<string, { authorization: Authorization; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Whether the authorizer has ever known the caller, however long ago. */
  hasKnown(caller: string): boolean {
    return this.#known.has(caller);
  }

  recall(caller: string): Authorization | undefined {
    const known = this.#known.get(caller);
    return known && known.until > this.#now() ? known.authorization : undefined;
  }

  /** Parses an authorizer's answer and caches it; undefined if API Gateway would not accept it. */
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

/** Whether a policy's resource, in which `*` stands for anything, covers an ARN. */
function matches(pattern: string, arn: string): boolean {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  ).test(arn);
}
