import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { startEngine } from '../../../infra/local/engine.ts';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { createLeadEndpoint, listLeadsEndpoint } from '../../../shared/contract/leads.ts';
import { ApiClient } from '../../support/api-client.ts';
import { patience } from '../../support/patience.ts';
import { descendants, ProjectCopy } from '../../support/machine/project-copy.ts';
import { startTlsProxy } from '../../support/machine/tls-proxy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';
import { engine } from '../../support/test-organization.ts';

const project = new ProjectCopy();
const servers: Server[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map(closeAll));
});
afterAll(() => project.remove());

/** Starts a server that answers at an address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  return `http://localhost:${await listenOnLoopback(server)}`;
}

/**
 * An engine with one database per access key, as DynamoDB Local has. Only the first database is used here.
 */
async function serveKeyed(): Promise<string> {
  let known: string | undefined;
  return serve((request, response) => {
    const { method, headers } = request;
    const key = /Credential=[^/]+\/\d+\/[^/]+/.exec(headers.authorization ?? '')?.[0] ?? 'none';
    if ((known ??= key) !== key) {
      const __type = 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException';
      response.writeHead(400).end(JSON.stringify({ __type, message: 'There is no table in this database' }));
      return;
    }
    const onward = httpRequest(engine.endpoint, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  });
}

test("if DYNAMODB_ENDPOINT names a DynamoDB, npm start runs on it over https, with one database per access key, and prints the data's location", async () => {
  const proxy = await startTlsProxy(await serveKeyed());
  const trusts = { NODE_EXTRA_CA_CERTS: proxy.certificate };
  const env = { DYNAMODB_ENDPOINT: proxy.endpoint, ...trusts };
  const start = project.start(['--port', '0', ...unthrottledOptions], env);
  const { baseUrl, tokens } = await start.ready();
  expect(start.output).toContain(`\nData in the DynamoDB at ${proxy.endpoint}; `);
  expect(descendants(start.pid)).toEqual([]);
  const api = new ApiClient(baseUrl, tokens[0]);
  // A slow computer may need more than a function's 15 seconds, and is told to try again.
  const answers = async (endpoint: Endpoint, parts: object, status: number) => {
    const attempt = async () => (await api.attempt(endpoint, parts)).status;
    await expect.poll(attempt, { timeout: patience }).toBe(status);
  };
  await answers(createLeadEndpoint, { body: { name: 'Ann Lee' } }, 201);
  await answers(listLeadsEndpoint, {}, 200);
  const verify = ['organization', 'verify', '--organization', '6H8EV880', '--local'];
  expect(await project.admin(verify, trusts)).toMatchObject({ code: 0, stderr: '' });
  await start.end();
  proxy.close();
});

describe('one sentence says what is wrong', () => {
  test('about a server that is no DynamoDB, or whose certificate is not trusted', async () => {
    const endpoint = await serve((_, response) => response.end('<html>\n<body>Welcome</body>\n</html>'));
    const proxy = await startTlsProxy(endpoint);
    for (const address of [endpoint, proxy.endpoint]) {
      vi.stubEnv('DYNAMODB_ENDPOINT', address);
      await expect(startEngine()).rejects.toThrow(
        /^DYNAMODB_ENDPOINT is http\S+, where no DynamoDB answers: [^\n]+$/,
      );
    }
    proxy.close();
  });

  test('which the start prints before it ends', async () => {
    const start = project.start(['--port', '0'], { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await start.ended()).toBe(1);
    expect(start.errors).toMatch(/^DYNAMODB_ENDPOINT is http:\S+, where no DynamoDB answers: [^\n]+\n$/);
  });
});
