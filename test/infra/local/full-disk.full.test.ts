import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ApiClient } from '../../support/api-client.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';

const project = new ProjectCopy();
afterAll(() => project.remove());

const linesWith = (text: string, output: string) =>
  output.split('\n').filter((line) => line.includes(text)).length;

test('a full disk is reported, and every answer stays true', async () => {
  const start = project.start(['--port', '0', '--data', 'kept', ...unthrottledOptions]);
  const { baseUrl, tokens } = await start.ready();
  // Another assembly would cost this start, and others that take the run's, four times as much CPU time.
  expect(start.output).toContain('Nothing has changed since the functions were bundled');
  const fileOf = (name: string) => join(project.folder, 'kept', name);
  // Writing to this device always fails with ENOSPC.
  for (const name of ['logs/api.log', 'logs/access.log', 'sms.jsonl']) {
    rmSync(fileOf(name), { force: true });
    symlinkSync('/dev/full', fileOf(name));
  }
  writeFileSync(fileOf('queues'), 'A file is where the folder should be');

  const api = new ApiClient(baseUrl, tokens[0]);
  const { leads } = await api.call('listLeads', { query: { limit: 1 } });
  await api.call('createLead', { body: { name: 'Ann Lee', email: 'ann@example.com' } });
  for (const log of ['api', 'access'])
    expect(linesWith(`kept/logs/${log}.log cannot be written: ENOSPC`, start.output)).toBe(1);
  rmSync(fileOf('logs/api.log'));
  await api.call('listLeads', { query: { limit: 1 } });
  expect(readFileSync(fileOf('logs/api.log'), 'utf8')).toContain('"GET /v1/leads"');

  const body = { userId: 'user_6H8EV88000000003', leadId: leads[0]?.id ?? '', message: 'Hello' };
  await api.bareFailure('sendSms', 502, { body });
  expect(start.output).toContain('\nkept/sms.jsonl cannot be written: ENOSPC: no space left on device');
  rmSync(fileOf('sms.jsonl'));
  await api.call('sendSms', { body });
  expect(readFileSync(fileOf('sms.jsonl'), 'utf8')).toMatch(/^\{.*"text":"Hello".*\}\n$/);

  const played = () =>
    fetch(`${baseUrl}/local/texts`, {
      method: 'POST',
      body: new URLSearchParams({ from: '+61491570156', to: '+61491570737', text: 'Hello' }),
    });
  const refused = await played();
  expect({ status: refused.status, body: await refused.text() }).toEqual({
    status: 500,
    body: expect.stringMatching(/kept\/queues\/\S+ cannot be written/) as string,
  });
  rmSync(fileOf('queues'));
  expect((await played()).status).toBe(202);
  await start.until(/^WORKER receive-texts +ok/m);
  const [queue = ''] = readdirSync(fileOf('queues'));
  expect(queue).not.toBe('');
  expect(await start.end()).toBe(0);
});
