import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, guideOf, isShortenedTo } from '../support/docs/guide.ts';
import { startWebhookReceiver } from '../support/machine/webhook-receiver.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const { api } = await verifiedOrganization();
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

test('what happens to leads arrives in order, verified, with the lead as it is', async () => {
  const made = await api.call('createWebhook', { body: { url: receiver.url, types: ['lead.*'] } });
  const names = ['Ann', 'Bea', 'Cy', 'Zoë 😀'];
  const leads = [];
  for (const firstName of names) leads.push((await api.call('createLead', { body: { firstName } })).lead);
  const events = await receiver.take(names.length);
  const bodies = events.map(
    ({ body, headers }) => new Webhook(made.secret).verify(body, headers) as { id: number },
  );
  expect(bodies).toMatchObject(
    leads.map((record) => ({ type: 'lead.created', data: { recordId: record.id, record } })),
  );
  const shown = blocksOf(guideOf('guides/webhooks', '')).find(({ text }) => text.includes('"lead.created"'));
  const inGuide = JSON.parse(shown?.text ?? '') as unknown;
  for (const body of bodies)
    expect(isShortenedTo(body, inGuide), `${JSON.stringify(body)} is as in guides/webhooks`).toBe(true);
  const ids = bodies.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(new Set(events.map(({ headers }) => headers['webhook-id'])).size).toBe(names.length);

  const params = { webhookId: made.webhook.id };
  const { secret } = await api.call('rotateWebhookSecret', { params });
  await api.call('updateLead', { params: { leadId: leads[0]!.id }, body: { status: 'won' } });
  const [last] = await receiver.take(1);
  for (const each of [made.secret, secret])
    expect(new Webhook(each).verify(last!.body, last!.headers)).toMatchObject({
      type: 'lead.status_changed',
      data: { changedFields: ['status'] },
    });
});
