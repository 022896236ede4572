import type { Authorizer } from '../../infra/local/template/api-methods.ts';

/** Authorizer of tokens for gateways without a template, as a template has it. */
export const tokenAuthorizer: Authorizer = {
  Type: 'REQUEST',
  AuthorizerUri: '',
  AuthorizerCredentials: '',
  AuthorizerResultTtlInSeconds: 60,
  IdentitySource: 'method.request.header.Authorization',
  functionName: 'Authorizer',
};
