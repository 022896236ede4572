import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../../infra/endpoints.ts';
import { createLead, deleteLead, getLead, listLeads } from '../../../shared/endpoints/leads.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/project-copy.ts';
import { engine } from '../../support/world.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

describe('npm start', () => {
  test('prints where it is, two organizations with tokens, and a request to paste; then a line per request', async () => {
    const start = project.start(['--port', '0', '--memory']);
    const { baseUrl, tokens } = await start.ready();
    expect(start.output).toMatch(/Harbour Plumbing +sk_test_/);
    expect(start.output).toMatch(/Summit Electrical +sk_test_/);
    expect(start.output).toContain(
      `curl -s '${baseUrl}/v1/leads?limit=1' -H 'Authorization: Bearer ${tokens[0]!}'`,
    );

    const [ours, theirs] = tokens.map((token) => new ApiClient(baseUrl, token));
    const { leads, totalCount } = await ours!.call(listLeads, { query: { limit: 1 } });
    expect(leads[0]).toMatchObject({ firstName: 'Sofia', lastName: 'Rossi' });
    expect(totalCount).toBe(5);
    await theirs!.failure(getLead, 404, { params: { leadId: leads[0]!.id } });

    await start.until(
      /^GET {4}\/v1\/leads +200 +\d+ ms +2 calls +2 read +0 write {3}\+ authorizer: 1 calls, 1 read$/m,
    );
    await start.until(/^GET {4}\/v1\/leads\/lead_\w+ +404 +\d+ ms +0 calls +0 read +0 write/m);
  });

  test("answers the README's first request as printed there", async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, path = '', token = ''] =
      /curl -s 'http:\/\/localhost:3000(\S+)' -H 'Authorization: Bearer (\w+)'/.exec(readme) ?? [];
    const [, answer = ''] = /```json\n([\s\S]+?)```/.exec(readme) ?? [];
    const { baseUrl } = await project.start(['--port', '0', '--memory']).ready();
    const { body } = await new ApiClient(baseUrl, token).send('GET', path);
    expect(body).toEqual(JSON.parse(answer));
  });

  test('lists its options', async () => {
    const start = project.start(['--help']);
    expect(await start.ended()).toBe(0);
    for (const option of ['--port', '--data', '--memory', '--no-watch'])
      expect(start.output).toContain(option);
  });

  test('keeps the data in a folder, over a kill -9 and a restart; its engine ends with it', async () => {
    const first = project.start(['--port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const { lead } = await new ApiClient(baseUrl, tokens[0]).call(createLead, { body: { name: 'Ann Lee' } });
    const started = descendants(first.pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    await first.end('SIGKILL');
    await gone(started);

    const second = project.start(['--port', '0', '--data', 'kept']);
    const again = await second.ready();
    expect(again.tokens).toEqual(tokens);
    const api = new ApiClient(again.baseUrl, tokens[0]);
    expect((await api.call(getLead, { params: { leadId: lead.id } })).lead).toEqual(lead);
    expect((await api.call(listLeads)).totalCount).toBe(6);
    await new ApiClient(again.baseUrl, tokens[1]).failure(getLead, 404, { params: { leadId: lead.id } });
    await api.call(deleteLead, { params: { leadId: lead.id } });
    await api.failure(getLead, 404, { params: { leadId: lead.id } });
    expect((await api.call(listLeads)).totalCount).toBe(5);

    const third = project.start(['--port', '0', '--data', 'kept']);
    expect(await third.ended()).toBe(1);
    expect(third.output).toBe(
      `The data in kept is in use by process ${second.pid}: stop it, or choose another --data ` +
        '(if that process is something else, delete kept/lock).\n',
    );
  });

  test('ends at Ctrl-C, with every process that it started', async () => {
    const start = project.start(['--port', '0', '--memory']);
    await start.ready();
    const started = descendants(start.pid);
    expect(await start.end('SIGINT')).toBe(0);
    await gone(started);
  });

  test('ends with npm, even where npm was killed and could not tell', async () => {
    const npm = project.start(['--port', '0', '--memory'], {}, { npm: true });
    await npm.ready();
    const started = descendants(npm.pid);
    expect(started.length).toBeGreaterThanOrEqual(3);
    void npm.end('SIGKILL');
    await gone(started);
  });

  test('runs on another DynamoDB where DYNAMODB_ENDPOINT says so', async () => {
    const start = project.start(['--port', '0', '--memory'], { DYNAMODB_ENDPOINT: engine.endpoint });
    const { baseUrl, tokens } = await start.ready();
    expect(descendants(start.pid)).toEqual([]);
    await new ApiClient(baseUrl, tokens[0]).call(listLeads);
  });
});
