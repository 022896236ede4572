import { expect, test } from 'vitest';
import { getWebhookEndpoint, listWebhooksEndpoint } from '../../shared/contract/webhooks.ts';
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  updateWebhook,
} from '../../shared/domain/webhooks/change-webhook.ts';
import { parseHead } from '../../shared/ledger/internal/head.ts';
import { headKey } from '../../shared/ledger/internal/keys.ts';
import { TableReads } from '../../infra/admin/table/table-reads.ts';
import { realSystem } from '../../shared/core/system.ts';
import { clientAt } from '../support/organizations.ts';
import { asClient, newWebhook } from '../support/records.ts';
import { setup, tableAt, type TestOrganization } from '../support/world.ts';

const { ours, theirs } = await setup();
const { api } = ours;

const table = tableAt();
const reads = new TableReads({ client: clientAt(table), tableName: table.tableName, system: realSystem });
const ledgerOf = (organization: TestOrganization) => organization.openLedger().ledger;
const by = ({ userId }: TestOrganization) => ({ ...asClient, userId, tokenId: 1 });
const create = async (of = ours) => (await createWebhook(ledgerOf(of), newWebhook, by(of))).webhook;
const namedIn = async ({ code }: TestOrganization) => parseHead(await reads.get(headKey(code))).named;

test('webhooks are listed by id ascending, and read without their secrets', async () => {
  const made = [await create(), await create()];
  const { webhooks, totalCount } = await api.call(listWebhooksEndpoint);
  expect(webhooks).toEqual(made);
  expect(totalCount).toBe(2);
  await deleteWebhook(ledgerOf(ours), (await create()).id);
  await deleteWebhook(ledgerOf(ours), made[0]!.id);
  expect((await api.call(listWebhooksEndpoint)).webhooks).toEqual([made[1]]);
  const { webhook } = await api.call(getWebhookEndpoint, { params: { webhookId: made[1]!.id } });
  expect(webhook).toEqual({
    ...{ id: 2, ...newWebhook, isEnabled: true, disabledAt: null, disabledReason: null },
    ...{ createdAt: webhook.createdAt, updatedAt: webhook.createdAt },
  });
});

test('the head names the webhooks that are enabled, and none once none is', async () => {
  expect(await namedIn(theirs)).toBeUndefined();
  const ledger = ledgerOf(theirs);
  const [first, second, third] = [await create(theirs), await create(theirs), await create(theirs)];
  expect(await namedIn(theirs)).toEqual({ WEBHOOK: '1 2 3' });
  await updateWebhook(ledger, first.id, { isEnabled: false }, by(theirs));
  await deleteWebhook(ledger, second.id);
  expect(await namedIn(theirs)).toEqual({ WEBHOOK: '3' });
  await updateWebhook(ledger, first.id, { isEnabled: true }, by(theirs));
  await updateWebhook(ledger, third.id, { description: 'Still enabled' }, by(theirs));
  expect(await namedIn(theirs)).toEqual({ WEBHOOK: '1 3' });
  await disableWebhook(ledger, { ...first, wakes: 1 }, 'GONE');
  await disableWebhook(ledger, { ...third, wakes: 0 }, 'FAILING');
  expect(await namedIn(theirs)).toBeUndefined();
});
