import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../../../infra/local/demo/receiver.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { startServer } from '../../../infra/local/loopback.ts';
import { root } from '../../../infra/root.ts';
import { ApiClient } from '../../support/api-client.ts';
import { blocksOf, curl } from '../../support/docs/guide.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';

const project = new ProjectCopy();
afterAll(() => project.remove());

test('npm start -- --receive prints each event of the first organization, verified, and leaves no webhook', async () => {
  const options = ['--port', '0', '--engine-port', '0', '--data', 'kept', '--receive', ...unthrottledOptions];
  const first = project.start(options);
  const { baseUrl, tokens } = await first.ready();
  // By then the webhook is there, so no event of the next change is missed.
  expect(first.output).toMatch(
    /^Webhook 1 of .+ sends every event to http:\/\/127\.0\.0\.1:\d+, which verifies and prints it\.$/m,
  );
  const [, chapter = ''] = readFileSync(join(root, 'docs/local-machine.md'), 'utf8').split('## Webhooks\n');
  const [, change] = blocksOf(chapter);
  const command = change!.text.replace('http://localhost:3000', baseUrl);
  expect(await curl(command, { API: baseUrl })).toMatchObject({ status: 201 });
  await first.until(/^GOT {4}verified \{"type":"lead\.created",.*"firstName":"Ann"/m);
  await first.until(/^HOOK {3}1: \d+ lead\.created +204 +\d+ ms$/m);
  expect(first.output).not.toContain('NOT VERIFIED');
  await first.end('SIGKILL');

  const second = project.start(options);
  const again = new ApiClient((await second.ready()).baseUrl, tokens[0]);
  expect(second.output).toMatch(/^Webhook 2 of /m);
  expect((await again.call('listWebhooks')).webhooks.map(({ id }) => id)).toEqual([2]);
  expect(await second.end()).toBe(0);
  expect(second.output).toMatch(/^DELETE \/v1\/webhooks\/2 +200 /m);
});

test('a refusal of the API is told in a sentence', async () => {
  const refusing = await startServer((_request, response) => {
    response.writeHead(401).end(JSON.stringify({ error: { message: 'The token was revoked' } }));
    return Promise.resolve();
  });
  const demo = { name: 'Harbour Plumbing', token: 'sk_test_x' };
  await expect(startReceiver({ baseUrl: refusing.endpoint, demo, show: () => undefined })).rejects.toThrow(
    new LocalError('--receive cannot make a webhook of Harbour Plumbing: The token was revoked.'),
  );
  await refusing.close();
});
