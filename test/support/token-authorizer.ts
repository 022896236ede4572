import type { Authorizer } from '../../infra/local/template/api-methods.ts';

/** An authorizer of tokens, as a template has it: for gateways without a template. */
export const tokenAuthorizer: Authorizer = {
  Type: 'REQUEST',
  AuthorizerUri: '',
  AuthorizerCredentials: '',
  AuthorizerResultTtlInSeconds: 60,
  IdentitySource: 'method.request.header.Authorization',
  functionName: 'Authorizer',
};
