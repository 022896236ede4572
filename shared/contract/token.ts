import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'The token of the request';

/** Facts about a token: docs/reference/tokens.md, Tokens. */
export const Token = v.strictObject({
  organizationId: v.string(),
  userId: v.string(),
  scopes: v.array(v.string()),
});
export type Token = v.InferOutput<typeof Token>;

export const descriptions = {
  Token: {
    is: 'The owner and the scopes of a token',
    fields: {
      organizationId: 'The id of its organization',
      userId: 'The id of the user that it acts for',
      scopes:
        'The scopes of the token, bounded by the role of the user. A wide scope is spelt out only if the role bounds it',
    },
  },
} satisfies Descriptions;

export const getTokenEndpoint = endpoint({
  method: 'GET',
  path: '/v1/token',
  scope: 'any',
  access: 'none',
  summary: 'Read what the token of the request allows',
  description: 'A client learns whose token it has, and which operations it can offer.',
  params: {},
  responses: { 200: Token },
  errors: [],
  extension: true,
  example: {
    response: {
      organizationId: 'org_6H8EV880',
      userId: 'user_6H8EV88000000001',
      scopes: ['read', 'leads:create', 'sms:create'],
    },
  },
});
