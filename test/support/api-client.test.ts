import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeAll, listenOnLoopback } from '../../infra/local/loopback.ts';
import { getLeadEndpoint } from '../../shared/contract/leads.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { ApiClient } from './api-client.ts';

const requestId = '00000000-0000-4000-8000-000000000000';
let reply: { status: number; body: object };
let server: Server;
let client: ApiClient;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(reply.status, { 'Content-Type': 'application/json', 'X-Request-Id': requestId });
    response.end(JSON.stringify(reply.body));
  });
  client = new ApiClient(`http://127.0.0.1:${await listenOnLoopback(server)}`);
});
afterAll(() => closeAll(server));

const messages: Record<number, string> = { 400: 'Bad request', 404: 'Not found', 502: 'Bad gateway' };
const envelope = (status: number) => ({
  success: false,
  message: messages[status],
  error: { status, message: 'No' },
  requestId,
});
const bare = { message: 'No' };

describe('the client of the tests', () => {
  test.each([
    [400, envelope(400)],
    [400, bare],
    [404, envelope(404)],
    [502, bare],
  ])('accepts a %i of %j from an endpoint with failures of its own', async (status, body) => {
    reply = { status, body };
    expect(await client.attempt(sendSmsEndpoint)).toMatchObject({ status, body });
  });

  test.each([
    [404, bare],
    [502, envelope(502)],
    [502, { ...bare, success: false }],
    [400, { ...bare, requestId }],
    [400, {}],
    [418, bare],
  ])('refuses a %i of %j from such an endpoint', async (status, body) => {
    reply = { status, body };
    await expect(client.attempt(sendSmsEndpoint)).rejects.toThrow();
  });

  test('refuses a message alone from any other endpoint, and from a path', async () => {
    reply = { status: 400, body: bare };
    await expect(client.attempt(getLeadEndpoint)).rejects.toThrow();
    await expect(client.send('POST', '/v1/sms')).rejects.toThrow();
  });

  test('distinguishes the two forms of an error', async () => {
    reply = { status: 400, body: bare };
    expect(await client.bareFailure(sendSmsEndpoint, 400)).toBe('No');
    await expect(client.failure(sendSmsEndpoint, 400)).rejects.toThrow();
    reply = { status: 400, body: envelope(400) };
    expect(await client.failure(sendSmsEndpoint, 400)).toEqual({ status: 400, message: 'No' });
    await expect(client.bareFailure(sendSmsEndpoint, 400)).rejects.toThrow();
  });
});
