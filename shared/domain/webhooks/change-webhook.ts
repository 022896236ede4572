import { sentences } from '../../contract/errors.ts';
import {
  maxWebhooks,
  type DisabledReason,
  type NewWebhook,
  type Webhook,
  type WebhookChanges,
} from '../../contract/webhooks.ts';
import { deliveryLabel } from '../../contract/webhook-deliveries.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { Failure, invalid, notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { FunctionPrincipal, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { deleteRecord, storeChange } from '../records/change-record.ts';
import { networkOf, type ReachableNetworks } from './receiver.ts';
import { newSecret, type SecretBox } from './secrets.ts';
import { toWebhook, webhooks, type WebhookRecord } from './webhooks.ts';

/** Token that a webhook acts for: its scopes limit what the webhook gets. */
export type ActsFor = Pick<FunctionPrincipal, 'tokenId' | 'userId'>;

/** Parts that make a secret. */
export interface SecretMaker {
  box: SecretBox;
  randomBytes: (size: number) => Uint8Array;
}

/** A webhook, and its newest secret, which is shown only now. */
export interface WithSecret {
  webhook: Webhook;
  secret: string;
}

/** Maximum number of secrets of a webhook: the newest secret, and earlier secrets that still sign. */
const maxSecrets = 5;
/** Time that a secret signs beside its successor, in milliseconds. */
const overlap = 86_400_000;

/**
 * Creates a webhook, which begins with the event of its creation. One transaction.
 * @throws Failure `invalid` for an address that is not allowed, and beyond `maxWebhooks`
 */
export async function createWebhook(
  ledger: Ledger,
  { url, types = [], description = '' }: NewWebhook,
  by: ActsFor & ReachableNetworks & SecretMaker,
): Promise<WithSecret> {
  checkUrl(url, by);
  const { secret, encrypted } = await makeSecret(ledger, by);
  const webhook = await ledger.write({}, (write) => {
    if (write.count(webhooks) >= maxWebhooks)
      throw invalid([{ field: '', message: `An organization has at most ${maxWebhooks} webhooks` }]);
    const { now, version } = write;
    const { record } = write.append(webhooks, ({ number }) => ({
      id: number,
      url,
      types: wantedTypes(types),
      description,
      ...enabled,
      createdAt: now,
      updatedAt: now,
      ...actingFor(by),
      secrets: [{ encrypted, createdAt: now, expiresAt: null }],
      startAfter: version,
      restarts: 0,
      wakes: 0,
    }));
    write.addCursor(record.id);
    recordEvent(write, { event: 'WEBHOOK_CREATED', about: record.id });
    return toWebhook(record);
  });
  return { webhook, secret };
}

/** Types as stored: each once, and all types if none is given. */
const wantedTypes = (types: readonly string[]) => (types.length > 0 ? [...new Set(types)] : ['*']);

/**
 * Changes a webhook. If it gets another address or is enabled again, it acts for the principal's token from then on.
 * Otherwise a token with few scopes could have data sent that only a token with more scopes may read. One transaction,
 * or none if nothing changes.
 * @throws Failure `notFound`; `invalid` for an address that is not allowed; `conflict` if a webhook without a secret is
 * to be enabled; as `refuseOutdated` does
 */
export async function updateWebhook(
  ledger: Ledger,
  webhookId: number,
  { isEnabled, types, ...changes }: WebhookChanges,
  { refuseOutdated, ...by }: ActsFor & ReachableNetworks & ChangeConditions<Webhook>,
): Promise<Webhook> {
  if (changes.url !== undefined) checkUrl(changes.url, by);
  const ref = ledger.ref(webhooks, webhookId);
  const stored = await ledger.write({ change: { webhook: ref } }, (write, { webhook }) => {
    refuseOutdated?.(toWebhook(webhook));
    const merged = merge(webhook, { ...changes, types: types && wantedTypes(types) });
    const after = withState(merged, isEnabled, write);
    const isMoved = after.url !== webhook.url || (after.isEnabled && !webhook.isEnabled);
    // An imported webhook has no cursor.
    if (after.isEnabled && !webhook.isEnabled) write.addCursor(webhookId);
    const taken = isMoved ? { ...woken(after), ...actingFor(by) } : after;
    return storeChange(
      write,
      ref,
      { before: webhook, after: taken },
      { event: 'WEBHOOK_UPDATED', about: webhookId },
      toWebhook,
    );
  });
  return toWebhook(stored);
}

/** Deletes a webhook. One transaction. @throws Failure `notFound`; as `refuseOutdated` does */
export function deleteWebhook(
  ledger: Ledger,
  webhookId: number,
  { refuseOutdated }: ChangeConditions<Webhook> = {},
): Promise<void> {
  return deleteRecord(ledger, ledger.ref(webhooks, webhookId), {
    event: 'WEBHOOK_DELETED',
    about: webhookId,
    ...(refuseOutdated && {
      refuseOutdated: (record: WebhookRecord) => {
        refuseOutdated(toWebhook(record));
      },
    }),
  });
}

/**
 * Disables a webhook without a request of a client. One transaction, or none if somebody has disabled it, or has woken
 * it after it was read. Returns true if this call has disabled the webhook.
 * @throws Failure `notFound`
 */
export async function disableWebhook(
  ledger: Ledger,
  { id: webhookId, wakes }: Pick<WebhookRecord, 'id' | 'wakes'>,
  reason: Exclude<DisabledReason, 'IMPORTED'>,
): Promise<boolean> {
  const ref = ledger.ref(webhooks, webhookId);
  return ledger.write({ change: { webhook: ref } }, (write, { webhook }) => {
    if (!webhook.isEnabled || webhook.wakes !== wakes) return false;
    write.replace(ref, { ...disabled(webhook, write), updatedAt: write.now, disabledReason: reason });
    recordEvent(write, { event: 'WEBHOOK_DISABLED', about: webhookId, variant: reason });
    return true;
  });
}

/**
 * Gives a webhook a new secret. The secret before signs for another day, too. One transaction.
 * @throws Failure `notFound`
 */
export async function rotateWebhookSecret(
  ledger: Ledger,
  webhookId: number,
  maker: SecretMaker,
): Promise<WithSecret> {
  const ref = ledger.ref(webhooks, webhookId);
  const { secret, encrypted } = await makeSecret(ledger, maker);
  const webhook = await ledger.write({ change: { webhook: ref } }, (write, { webhook }) => {
    const end = new Date(Date.parse(write.now) + overlap).toISOString();
    const former = webhook.secrets
      .map((one) => ({ ...one, expiresAt: one.expiresAt ?? end }))
      .filter(({ expiresAt }) => expiresAt > write.now);
    const newest = { encrypted, createdAt: write.now, expiresAt: null };
    const secrets = [newest, ...former].slice(0, maxSecrets);
    write.keep(ref);
    return storeChange(
      write,
      ref,
      { before: webhook, after: { ...webhook, secrets } },
      { event: 'WEBHOOK_SECRET_ROTATED', about: webhookId },
      toWebhook,
    );
  });
  return { webhook: toWebhook(webhook), secret };
}

/** A webhook with its newest secret. One round trip. @throws Failure `notFound` */
export async function readSecret(ledger: Ledger, webhookId: number, box: SecretBox): Promise<WithSecret> {
  const webhook = await ledger.get(ledger.ref(webhooks, webhookId));
  const [newest] = webhook.secrets;
  if (!newest) throw new Failure('conflict', sentences.noSecret);
  return {
    webhook: toWebhook(webhook),
    secret: await box.decrypt(ledger.organization, newest.encrypted),
  };
}

/**
 * Asks for a test: the sender sends the event of this write, whatever types the webhook has. Returns the event's
 * number. One transaction.
 * @throws Failure `notFound`; `conflict` for a webhook that is disabled
 */
export function testWebhook(ledger: Ledger, webhookId: number): Promise<number> {
  return ask(ledger, webhookId, (write) => {
    recordEvent(write, { event: 'WEBHOOK_TESTED', about: webhookId });
  });
}

/**
 * Asks for the event of a delivery to be sent once more. Returns the number of the event that asks for it. One
 * transaction.
 * @throws Failure `notFound`; `conflict` for a webhook that is disabled
 */
export async function redeliverWebhook(
  ledger: Ledger,
  { webhookId, deliveryId }: { webhookId: number; deliveryId: number },
): Promise<number> {
  const [, delivery] = await Promise.all([
    ledger.get(ledger.ref(webhooks, webhookId)),
    ledger.deliveries.one(webhookId, deliveryId),
  ]);
  if (!delivery) throw notFound(deliveryLabel);
  const values = { from: String(deliveryId), to: String(delivery.eventId) };
  return ask(ledger, webhookId, (write) => {
    recordEvent(write, { event: 'WEBHOOK_REDELIVERED', about: webhookId, values });
  });
}

/**
 * Makes a webhook go on after an event. An earlier event sends events again; a later event skips events. One
 * transaction.
 * @throws Failure `notFound`; `invalid` if `after` is beyond the newest event
 */
export async function replayWebhook(ledger: Ledger, webhookId: number, after: number): Promise<Webhook> {
  const ref = ledger.ref(webhooks, webhookId);
  return ledger.write({ change: { webhook: ref } }, (write, { webhook }) => {
    const { version } = write;
    if (after > version)
      throw invalid([{ field: 'after', message: `must be at most ${version}, the newest event` }]);
    write.replace(ref, { ...woken(webhook), startAfter: after, restarts: webhook.restarts + 1 });
    recordEvent(write, { event: 'WEBHOOK_REPLAYED', about: webhookId });
    write.keep(ref);
    return toWebhook(webhook);
  });
}

/**
 * Appends the event that asks the sender for something, and wakes the sender. Returns the event's number, and keeps the
 * number as the request's replay data. One transaction.
 */
function ask(ledger: Ledger, webhookId: number, record: (write: Write) => void): Promise<number> {
  const ref = ledger.ref(webhooks, webhookId);
  return ledger.write({ change: { webhook: ref } }, (write, { webhook }) => {
    if (!webhook.isEnabled) throw new Failure('conflict', sentences.webhookDisabled);
    write.replace(ref, woken(webhook));
    record(write);
    write.keepReplayData(String(write.version));
    return write.version;
  });
}

async function makeSecret({ organization }: Ledger, { box, randomBytes }: SecretMaker) {
  const secret = newSecret(randomBytes);
  return { secret, encrypted: await box.encrypt(organization, secret) };
}

const enabled = { isEnabled: true, disabledAt: null, disabledReason: null };

const disabled = (webhook: WebhookRecord, { now }: Write): WebhookRecord => ({
  ...webhook,
  isEnabled: false,
  disabledAt: now,
});

/** The webhook after a body's `isEnabled`. @throws Failure `conflict` if a webhook without a secret is to be enabled */
function withState(webhook: WebhookRecord, isEnabled: boolean | undefined, write: Write): WebhookRecord {
  if (isEnabled === undefined || isEnabled === webhook.isEnabled) return webhook;
  if (!isEnabled) return disabled(webhook, write);
  if (webhook.secrets.length === 0) throw new Failure('conflict', sentences.noSecret);
  return { ...webhook, ...enabled };
}

const woken = (webhook: WebhookRecord): WebhookRecord => ({ ...webhook, wakes: webhook.wakes + 1 });

const actingFor = ({ tokenId, userId }: ActsFor) => ({ tokenId: tokenId ?? null, userId });

/** @throws Failure `invalid` for an address that the sender does not reach */
function checkUrl(text: string, networks: ReachableNetworks): void {
  if (networkOf(new URL(text), networks) !== undefined) return;
  throw invalid([
    {
      field: 'url',
      message: 'must begin with https://, and have neither a port other than 443 nor a user name',
    },
  ]);
}
