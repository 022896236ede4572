import { ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMachine } from '../../../infra/local/data-folder.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import {
  createLeadEndpoint,
  deleteLeadEndpoint,
  getLeadEndpoint,
  listLeadsEndpoint,
} from '../../../shared/contract/leads.ts';
import { listInquiriesEndpoint } from '../../../shared/contract/inquiries.ts';
import { admin } from '../../support/admin.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

const isSynthesis = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('infra/app.ts');

describe('npm start', () => {
  test('lists its options', async () => {
    const start = project.start(['--help']);
    expect(await start.ended()).toBe(0);
    for (const option of ['--port', '--data', '--memory', '--no-watch', '--engine-port', 'DYNAMODB_ENDPOINT'])
      expect(start.output).toContain(option);
  });

  test('keeps the data in a folder, over a kill -9 and a restart; its engine ends with it', async () => {
    const first = project.start(['--port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const { lead } = await new ApiClient(baseUrl, tokens[0]).call(createLeadEndpoint, {
      body: { name: 'Ann Lee' },
    });
    const started = descendants(first.pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    const text = new URLSearchParams({ from: '+61491570156', to: '+61491570737', text: 'Before the kill' });
    expect((await fetch(`${baseUrl}/local/texts`, { method: 'POST', body: text })).status).toBe(202);
    await first.end('SIGKILL');
    await gone(started);
    const [queue = ''] = readdirSync(join(project.folder, 'kept/queues'));
    const leftIn = () => readdirSync(join(project.folder, 'kept/queues', queue));
    expect(leftIn()).toHaveLength(1);

    const second = project.start(['--port', '0', '--data', 'kept']);
    const again = await second.ready();
    expect(again.tokens).toEqual(tokens);
    await second.until(/^WORKER receive-texts +ok/m);
    expect(leftIn()).toEqual([]);
    const api = new ApiClient(again.baseUrl, tokens[0]);
    expect((await api.call(getLeadEndpoint, { params: { leadId: lead.id } })).lead).toEqual(lead);
    expect((await api.call(listLeadsEndpoint)).totalCount).toBe(10);
    // The text was accepted, and the worker had no time for it.
    const { inquiries } = await api.call(listInquiriesEndpoint, { query: { limit: 2 } });
    expect(inquiries).toMatchObject([
      { source: 'SMS', summary: 'Before the kill' },
      { source: expect.not.stringMatching('SMS') as string },
    ]);
    await new ApiClient(again.baseUrl, tokens[1]).failure(getLeadEndpoint, 404, {
      params: { leadId: lead.id },
    });
    await api.call(deleteLeadEndpoint, { params: { leadId: lead.id } });
    await api.failure(getLeadEndpoint, 404, { params: { leadId: lead.id } });
    expect((await api.call(listLeadsEndpoint)).totalCount).toBe(9);

    const third = project.start(['--port', '0', '--data', 'kept']);
    expect(await third.ended()).toBe(1);
    expect(third.output).toBe(
      `The data folder kept is in use by process ${second.pid}: stop it, or choose another --data.\n`,
    );
  });

  test('keeps what it has answered over a kill -9 while it writes, and every organization whole', async () => {
    const first = project.start(['--port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const api = new ApiClient(baseUrl, tokens[0]);
    const answered: string[] = [];
    const enough = new Promise<void>((resolve) => {
      for (let writer = 0; writer < 8; writer++) {
        void (async () => {
          for (let at = 0; ; at++) {
            const body = { name: 'Ann Lee', email: `ann-${writer}-${at}@example.com` };
            answered.push((await api.call(createLeadEndpoint, { body })).lead.id);
            if (answered.length >= 20) resolve();
          }
        })().catch(() => undefined);
      }
    });
    await enough;
    const started = descendants(first.pid);
    await first.end('SIGKILL');
    await gone(started);

    const second = project.start(['--port', '0', '--data', 'kept']);
    const again = new ApiClient((await second.ready()).baseUrl, tokens[0]);
    for (const leadId of answered) await again.call(getLeadEndpoint, { params: { leadId } });
    const all = ['organization', 'verify', '--all', '--local', '--data', join(project.folder, 'kept')];
    const { code, stdout } = await admin(all);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is whole') as string,
    });
  });

  test('refuses the data of another version in one sentence, and leaves it as it is', async () => {
    const first = project.start(['--port', '0', '--data', 'kept']);
    await first.ready();
    const { endpoint, tableName: TableName } = findMachine(join(project.folder, 'kept'));
    const client = clientOf({ endpoint });
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    for (const { pk, sk, revision } of Items) {
      if (!pk || !sk || !revision) continue;
      const change = { TableName, Key: { pk, sk }, UpdateExpression: 'REMOVE revision' };
      await client.send(new UpdateItemCommand(change));
    }
    client.destroy();
    await first.end('SIGTERM');

    const second = project.start(['--port', '0', '--data', 'kept']);
    expect(await second.ended()).toBe(1);
    expect(second.output).toBe(
      'The data is stored in form 1, and this version reads form 3 alone: run the version that stored it, or start on ' +
        'an empty table (on this machine: delete the data folder, which is .data unless --data names another, ' +
        'or the table in the DynamoDB that DYNAMODB_ENDPOINT names).\n',
    );
  });

  test('leaves nothing behind when it is ended while it starts', async () => {
    const start = project.start(['--port', '0', '--memory']);
    while (!descendants(start.pid).some(isSynthesis)) await new Promise((resolve) => setImmediate(resolve));
    const started = descendants(start.pid);
    expect(await start.end('SIGTERM')).toBe(0);
    expect(start.output).toBe('');
    await gone(started);
    expect(readdirSync(project.folder).filter((name) => name.startsWith('sales-pipeline-'))).toEqual([]);
  });

  test('ends with npm, even where npm was killed and could not tell', async () => {
    const npm = project.start(['--port', '0', '--memory'], {}, { npm: true });
    await npm.ready();
    const started = descendants(npm.pid);
    expect(started.length).toBeGreaterThanOrEqual(3);
    void npm.end('SIGKILL');
    await gone(started);
  });
});
