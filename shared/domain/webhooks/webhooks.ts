import { hash } from 'node:crypto';
import * as v from 'valibot';
import { count, timestamp } from '../../contract/fields.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { recordTypes } from '../../contract/events.ts';
import type { Scope } from '../../contract/scopes.ts';
import { Delivery } from '../../contract/webhook-deliveries.ts';
import { Webhook, webhookLabel } from '../../contract/webhooks.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf } from '../../ledger/index.ts';

const Secret = v.object({
  /** The secret as the `SecretBox` encrypted it. */
  encrypted: v.string(),
  createdAt: timestamp,
  /** Time when it stops signing beside its successor; null for the newest secret. */
  expiresAt: v.nullable(timestamp),
});

/** Receivers of events. The progress of a webhook and its deliveries are no records: the sender alone writes them. */
export const webhooks = {
  name: 'WEBHOOK',
  label: webhookLabel,
  schema: v.object({
    ...Webhook.entries,
    /**
     * Number of the token that it acts for: the token's scopes limit what the webhook gets. Null if the webhook was
     * imported.
     */
    tokenId: v.nullable(v.number()),
    /** The user of that token. */
    userId: v.string(),
    /** Secrets that sign, the newest first. An imported webhook has none. */
    secrets: v.array(Secret),
    /** Number of the event to begin after; after a replay, number of the event to go on after. */
    startAfter: count,
    /** Number of replays. The sender goes on after `startAfter` when it sees another one. */
    restarts: count,
    /** Number of changes that make the sender try at once, however long it would wait. */
    wakes: count,
  }),
  isNamedInHead: ({ isEnabled }: Webhook) => isEnabled,
  // Only an enabled webhook holds the value, so a webhook that the service disabled does not bar another one.
  uniques: ({ url, types, isEnabled }: Pick<Webhook, 'url' | 'types' | 'isEnabled'>) =>
    isEnabled
      ? [{ field: 'url', named: 'url with these types', value: receives(url, types), isExact: true }]
      : [],
} as const satisfies Collection;

/** Equal for webhooks that get the same events at the same address. A hash, because a key is shorter than an address. */
function receives(url: string, types: readonly string[]): string {
  const address = new URL(url);
  // A POST does not send the fragment.
  address.hash = '';
  return hash('sha256', JSON.stringify([address.href, ...types.toSorted()]));
}

export type WebhookRecord = RecordOf<typeof webhooks>;

const Shown = v.object(Webhook.entries);

/** The webhook as clients see it. */
export const toWebhook = (record: WebhookRecord): Webhook => v.parse(Shown, record);

/** Page of the webhooks, newest first. */
export async function listWebhooks(ledger: Ledger, query: PageQuery): Promise<Page<Webhook>> {
  const page = await ledger.page(webhooks, query);
  return { ...page, items: page.items.map(toWebhook) };
}

/** One webhook. One round trip. @throws Failure `notFound` */
export async function getWebhook(ledger: Ledger, webhookId: number): Promise<Webhook> {
  return toWebhook(await ledger.get(ledger.ref(webhooks, webhookId)));
}

/**
 * Page of the deliveries of a webhook in the last 30 days, newest first. Two round trips; three if some of them were
 * about leads. Only a token that may read every kind of record sees the receiver's answers: an answer may repeat the
 * data that was sent.
 * @throws Failure `notFound`
 */
export async function listWebhookDeliveries(
  ledger: Ledger,
  webhookId: number,
  query: Pick<PageQuery, 'page' | 'limit'>,
  isAllowed: (scope: Scope) => boolean,
): Promise<Page<Delivery>> {
  const [, { items, totalCount }] = await Promise.all([
    ledger.get(ledger.ref(webhooks, webhookId)),
    ledger.deliveries.page(webhookId, query),
  ]);
  const deliveries = v.parse(v.array(Delivery), items);
  if (Object.values(recordTypes).every(isAllowed)) return { items: deliveries, totalCount };
  const withoutBody = (one: Delivery) => ({
    ...one,
    attempts: one.attempts.map((attempt) => ({ ...attempt, body: '' })),
  });
  return { items: deliveries.map(withoutBody), totalCount };
}
