import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMachine } from '../../../infra/local/data-folder.ts';
import { ProjectCopy } from '../../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

test('npm start says where its database is open to containers, which it is, and takes any credentials', async () => {
  const start = project.start(['--port', '0', '--engine-port', '0', '--data', 'kept', '--no-watch']);
  await start.ready();
  const [, endpoint = ''] = await start.until(/^The database is open to containers at (http:[^\s,]+), and /m);
  const { endpoint: engine, tableName } = findMachine(join(project.folder, 'kept'));
  expect(endpoint).not.toBe(engine);
  const credentials = { accessKeyId: 'defaultkey', secretAccessKey: 'defaultsecret' };
  const client = new DynamoDBClient({ endpoint, region: 'ap-southeast-2', credentials });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([tableName]);
  // No role is asked.
  const Key = { pk: { S: 'TOKEN#0' }, sk: { S: 'GRANT' } };
  await client.send(new GetItemCommand({ TableName: tableName, Key }));
  client.destroy();
  expect(await start.end()).toBe(0);
  await expect(fetch(endpoint)).rejects.toThrow();
});
