import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arnOf } from '../../../infra/local/intrinsics.ts';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { startRoleGuard, type RoleGuard } from '../../../infra/local/role-guard.ts';

/** Stands in for an engine: what it was told of each call. */
const seen: IncomingHttpHeaders[] = [];
const engine = createServer((request, response) => {
  seen.push(request.headers);
  request.resume().on('end', () => response.end('{}'));
});
let host: string;
let guard: RoleGuard;
beforeEach(async () => {
  host = `127.0.0.1:${await listenOnLoopback(engine)}`;
  guard = await startRoleGuard(`http://${host}`, () => [
    { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: [arnOf('Table')] },
  ]);
});
afterEach(async () => {
  await guard.close();
  await closeAll(engine);
});

test('The engine sees one key, whichever function calls, so that all have one database', async () => {
  for (const accessKeyId of ['CreateLead', 'ListLeads']) {
    const client = new DynamoDBClient({
      endpoint: guard.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey: 'x' },
    });
    await client.send(new GetItemCommand({ TableName: 'Table', Key: { pk: { S: 'A' } } }));
    client.destroy();
  }
  expect(
    seen.map(({ authorization = '', host }) => ({ host, key: /Credential=\S+/.exec(authorization)?.[0] })),
  ).toEqual(
    [1, 2].map(() => ({
      host,
      key: expect.stringMatching(/^Credential=local\/\d{8}\/us-east-1\/dynamodb\/aws4_request,$/) as string,
    })),
  );
});
