import type { Authorizer } from '../../infra/local/template/api.ts';

/** Authorizer of tokens for gateways without a template, as a template has it. */
export const tokenAuthorizer: Authorizer = {
  authorizerResultTtlInSeconds: 60,
  identitySource: 'method.request.header.Authorization',
  functionName: 'Authorizer',
};
