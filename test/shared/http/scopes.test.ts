import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import type { Endpoint, TokenEndpoint } from '../../../shared/contract/endpoint.ts';
import {
  isKeyScope,
  issuedScopes,
  keyScopes,
  scopes,
  scopeSubjects,
} from '../../../shared/contract/scopes.ts';
import { AuthorizerContext, policyOf } from '../../../shared/http/principal.ts';
import { actionsOf } from '../../../shared/ledger/index.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';

import { served } from './invocation.ts';

const { operations } = await findContracts();
const asksForToken = (endpoint: Endpoint): endpoint is TokenEndpoint => endpoint.scope !== 'public';
const tokened = operations.flatMap(({ operationId, endpoint }) =>
  asksForToken(endpoint) ? [{ operationId, endpoint }] : [],
);

/** Scopes that grant an endpoint's own scope, as docs/reference/tokens.md, Tokens, lists them. */
function enough(scope: string): string[] {
  if (isKeyScope(scope) || scope === 'invitations:accept') return [scope];
  if (scope === 'any') return issuedScopes.filter((each) => !isKeyScope(each));
  const [subject, action] = scope.split(':');
  if (action === 'read') return [scope, 'read'];
  const wider = action === 'create' ? [`${subject}:write`] : [];
  return [scope, ...wider, ...(subject === 'members' || subject === 'tokens' ? [] : ['write'])];
}

test('a token can have read and write, each of them and create for each subject, or a scope of keys', () => {
  const actions = ['read', 'write', 'create'];
  const narrow = scopeSubjects.flatMap((subject) => actions.map((action) => `${subject}:${action}`));
  expect(keyScopes).toEqual(['forms:submit', 'calls:submit', 'receptionist:answer']);
  expect(issuedScopes).toEqual(['read', 'write', ...narrow, ...keyScopes]);
  expect(scopes).toEqual([...issuedScopes, 'invitations:accept']);
});

describe.each(tokened)('$operationId', ({ endpoint }) => {
  test('asks for the scope of its own action', () => {
    const { method, scope, responses, batch, access } = endpoint;
    if (isKeyScope(scope) || scope === 'any' || scope === 'invitations:accept') return;
    const makesRecords = method === 'POST' && (201 in responses || batch !== undefined);
    const writes = actionsOf(access).includes('PutItem');
    const action = method === 'GET' || !writes ? 'read' : makesRecords ? 'create' : 'write';
    expect(scope).toMatch(new RegExp(`^\\w+:${action}$`));
  });

  test('is allowed with each scope that grants it, and 403 with any other, alone or all together', async () => {
    // A step after the check would answer otherwise.
    const send = served(endpoint, () => {
      throw new Error('Not refused');
    });
    const refused: string[] = [];
    for (const scope of scopes) {
      const { answer } = await send({ scopes: scope });
      if (answer.statusCode === 403) refused.push(scope);
      else expect([400, 404, 415, 500]).toContain(answer.statusCode);
    }
    const granting = enough(endpoint.scope);
    expect(refused).toEqual(scopes.filter((scope) => !granting.includes(scope)));
    for (const none of [refused.join(' '), '']) {
      const { answer } = await send({ scopes: none });
      const message = `The token lacks the scope "${endpoint.scope}"`;
      expect(JSON.parse(answer.body)).toMatchObject({
        message: 'Forbidden',
        error: { status: 403, message },
      });
    }
  });
});

test('a token with every scope, and with sites, fits into the answer of the authorizer, and is read back', () => {
  const grant = {
    organization: '6H8EV880',
    tokenId: 1,
    userId: 'user_6H8EV88000000001',
    scopes: [...scopes],
    sites: ['https://a.example', 'http://localhost:8080'],
    expiresAt: null,
  };
  const arn = 'arn:aws:execute-api:us-east-1:000000000000:abcdefghij/prod/GET/v1/leads';
  const answer = policyOf(v.parse(Grant, grant), arn);
  expect(JSON.stringify(answer).length).toBeLessThan(2048);
  expect(v.parse(AuthorizerContext, answer.context)).toMatchObject({
    scopes,
    sites: grant.sites,
    tokenId: 1,
  });
});

test('a context without scopes, sites and signing secret has none', () => {
  const context = { organization: '6H8EV880', userId: 'user_6H8EV88000000001', tokenId: '1' };
  expect(v.parse(AuthorizerContext, context)).toEqual({
    ...context,
    scopes: [],
    sites: [],
    signingSecret: '',
    formerSecret: '',
    formerSecretUntil: '',
    tokenId: 1,
  });
});
