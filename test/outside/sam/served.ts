import { deepStrictEqual } from 'node:assert';
import * as v from 'valibot';
import type { LocalMachine } from './local-machine.ts';
import type { Sam } from './sam.ts';

interface Answer {
  status: number;
  body: unknown;
}

/** Compares `sam local start-api` with the local machine: the same data, with the same token. */
export async function checkServed(samUrl: string, { baseUrl, token, key }: LocalMachine): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const onBoth = async (path: string) => {
    const [here, there] = await Promise.all([
      ask(`${samUrl}${path}`, { headers }),
      ask(`${baseUrl}${path}`, { headers }),
    ]);
    deepStrictEqual(here, there, `${path} was answered otherwise`);
    deepStrictEqual(here.status, 200);
  };
  for (const path of ['/v1/leads?limit=3&page=2', '/v1/organization/members', '/v1/policies'])
    await onBoth(path);

  const lead = { name: 'Ann Lee', email: 'ann@example.com', phone: '+442079460123' };
  const created = await ask(`${samUrl}/v1/leads`, { method: 'POST', headers, body: JSON.stringify(lead) });
  deepStrictEqual(created.status, 201);
  const { id } = v.parse(v.object({ lead: v.object({ id: v.string() }) }), created.body).lead;
  await onBoth(`/v1/leads/${id}`);

  const form = { method: 'POST', body: new URLSearchParams({ name: 'Ann Lee', message: 'Please call' }) };
  const [submitted, there] = [
    await ask(`${samUrl}/v1/forms/submissions?key=${key}`, form),
    await ask(`${baseUrl}/v1/forms/submissions?key=${key}`, form),
  ];
  deepStrictEqual(submitted, there, 'A form was answered otherwise');
  deepStrictEqual(submitted.status, 201);
  deepStrictEqual((await ask(`${samUrl}/v1/forms/submissions`, form)).status, 401);

  await checkOwnAnswers(samUrl, headers);
  const sms = { userId: 'user_6H8EV88000000001', leadId: id, message: 'Hello' };
  const sent = await ask(`${samUrl}/v1/sms`, { method: 'POST', headers, body: JSON.stringify(sms) });
  // The organization has a number, but the call to AWS ends at the database's address.
  deepStrictEqual(sent.status, 502);
}

/** Checks the answers that SAM gives by itself, as docs/sam-local.md says. */
async function checkOwnAnswers(samUrl: string, headers: Record<string, string>): Promise<void> {
  const wrong = { ...headers, Authorization: `Bearer sk_test_${'0'.repeat(36)}` };
  for (const [path, request, expected] of [
    ['/v1/leads', { headers: {} }, { status: 401, body: { message: 'Unauthorized' } }],
    ['/v1/leads', { headers: wrong }, { status: 502, body: { message: 'Internal server error' } }],
    [
      '/v1/nothing',
      { method: 'DELETE', headers },
      { status: 403, body: { message: 'Missing Authentication Token' } },
    ],
  ] as const)
    deepStrictEqual(await ask(`${samUrl}${path}`, request), expected, path);
}

/**
 * Compares `sam local invoke` with the local machine: the authorizer's grant, and the list that it allows.
 */
export async function checkInvoked(sam: Sam, { baseUrl, token }: LocalMachine): Promise<void> {
  const granted = await sam.invoke('Authorizer', {
    type: 'REQUEST',
    resource: '/v1/leads',
    headers: { Authorization: `Bearer ${token}` },
    requestContext: { identity: { sourceIp: '127.0.0.1' } },
    methodArn: 'arn:aws:execute-api:us-east-1:123456789012:local/local/GET/v1/leads',
  });
  const { context, policyDocument } = v.parse(Granted, granted);
  deepStrictEqual(policyDocument.Statement[0]?.Effect, 'Allow');
  const invoked = await sam.invoke('ListLeads', {
    resource: '/v1/leads',
    path: '/v1/leads',
    httpMethod: 'GET',
    headers: {},
    queryStringParameters: { limit: '2' },
    requestContext: { requestId: 'by-hand', authorizer: context },
  });
  const { statusCode, body } = v.parse(Invoked, invoked);
  const { body: expected } = await ask(`${baseUrl}/v1/leads?limit=2`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  deepStrictEqual({ statusCode, body: JSON.parse(body) as unknown }, { statusCode: 200, body: expected });
}

const Granted = v.object({
  context: v.record(v.string(), v.string()),
  policyDocument: v.object({ Statement: v.array(v.object({ Effect: v.string() })) }),
});
const Invoked = v.object({ statusCode: v.number(), body: v.string() });

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, body: await response.json() };
}
