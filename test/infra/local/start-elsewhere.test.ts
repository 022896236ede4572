import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { createLeadEndpoint, listLeadsEndpoint } from '../../../shared/contract/leads.ts';
import { admin } from '../../support/admin.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, ProjectCopy } from '../../support/project-copy.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';
import { engine } from '../../support/world.ts';

let project: ProjectCopy;
const servers: Server[] = [];
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(async () => {
  await project.remove();
  await Promise.all(servers.splice(0).map(closeAll));
});

/** Something that answers at an address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  return `http://localhost:${await listenOnLoopback(server)}`;
}

/** The engine, as one that has a database for each access key, as DynamoDB Local does: here, for the first alone. */
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

describe('where DYNAMODB_ENDPOINT names a DynamoDB', () => {
  test('npm start runs on it, also with a database for each key, and says where the data is', async () => {
    const endpoint = await serveKeyed();
    const start = project.start(['--port', '0'], { DYNAMODB_ENDPOINT: endpoint });
    const { baseUrl, tokens } = await start.ready();
    expect(start.output).toContain(`\nData in the DynamoDB at ${endpoint}; `);
    expect(descendants(start.pid)).toEqual([]);
    const api = new ApiClient(baseUrl, tokens[0]);
    await api.call(createLeadEndpoint, { body: { name: 'Ann Lee' } });
    await api.call(listLeadsEndpoint);
    const organization = ['--organization', '6H8EV880', '--local', '--data', join(project.folder, '.data')];
    expect(await admin(['organization', 'verify', ...organization])).toMatchObject({ code: 0, stderr: '' });
  });

  test('npm start runs on it over https', async () => {
    const proxy = await startTlsProxy(await serveKeyed());
    const env = { DYNAMODB_ENDPOINT: proxy.endpoint, NODE_EXTRA_CA_CERTS: proxy.certificate };
    const start = project.start(['--port', '0'], env);
    const { baseUrl, tokens } = await start.ready();
    expect(start.output).toContain(`\nData in the DynamoDB at ${proxy.endpoint}; `);
    await new ApiClient(baseUrl, tokens[0]).call(createLeadEndpoint, { body: { name: 'Ann Lee' } });
    await start.end();
    proxy.close();
  });

  test('a table of another shape there is refused in one sentence, and left as it is', async () => {
    const asked: string[] = [];
    const endpoint = await serve((request, response) => {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      asked.push(operation);
      const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' }];
      request.resume().on('end', () => {
        const Table = { TableStatus: 'ACTIVE', KeySchema };
        response.end(JSON.stringify(operation === 'DescribeTable' ? { Table } : { TableNames: [] }));
      });
    });
    const start = project.start(['--port', '0'], { DYNAMODB_ENDPOINT: endpoint });
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(
      /^The table Table\w+ in the DynamoDB at http:\S+ has another shape than this version's \(its key is HASH id, not HASH pk and RANGE sk\), and was left as it is: [^\n]+\.\n$/,
    );
    expect(asked).toEqual(['ListTables', 'DescribeTable']);
  });
});

describe('one sentence says what is wrong', () => {
  test.each([
    ['http://127.0.0.1:9', /^DYNAMODB_ENDPOINT is http:\S+, where no DynamoDB answers: [^\n]+\n$/],
    ['localhost:8000', /^DYNAMODB_ENDPOINT is localhost:8000, but must be http:\/\/ or https:\/\/ [^\n]+\n$/],
    [
      'https://dynamodb.us-east-1.amazonaws.com',
      /^DYNAMODB_ENDPOINT is https:\S+, which is AWS itself, [^\n]+: deploy instead [^\n]+\n$/,
    ],
  ])('with %s', async (endpoint, sentence) => {
    const start = project.start(['--port', '0'], { DYNAMODB_ENDPOINT: endpoint });
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(sentence);
  });

  test('with what is no DynamoDB, or not one over https that can be trusted', async () => {
    const endpoint = await serve((_, response) => response.end('<html>\n<body>Welcome</body>\n</html>'));
    const proxy = await startTlsProxy(endpoint);
    for (const address of [endpoint, proxy.endpoint]) {
      const start = project.start(['--port', '0'], { DYNAMODB_ENDPOINT: address });
      expect(await start.ended()).toBe(1);
      expect(start.output).toMatch(/^DYNAMODB_ENDPOINT is http\S+, where no DynamoDB answers: [^\n]+\n$/);
    }
    proxy.close();
  });

  test('with --memory, which would promise too much', async () => {
    const start = project.start(['--port', '0', '--memory'], { DYNAMODB_ENDPOINT: engine.endpoint });
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe(
      '--memory and DYNAMODB_ENDPOINT cannot be combined: the data is in the DynamoDB that this names.\n',
    );
  });
});
