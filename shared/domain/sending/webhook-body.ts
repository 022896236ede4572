import { publicKindOf } from '../../contract/events.ts';
import { webhookTypeOf } from '../../contract/webhooks.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Ledger, StoredEvent } from '../../ledger/index.ts';
import { toRecordedEvent } from '../feed/list-events.ts';
import { readRecord, type ReadRecord } from '../feed/with-records.ts';
import { leads } from '../leads/lead-record.ts';

/** Largest record that a body has, in bytes. A receiver reads a larger record by its id. */
const maxRecordBytes = 20_480;

/** Body of an event, and facts about it for the sender. */
export interface WebhookBody {
  text: string;
  type: string;
  /** Number of the lead, if the body has data about a lead. */
  lead: number | undefined;
  /**
   * True if the event is about a person's record that is gone: the receiver may have kept the data that it once got.
   */
  isOfGone: boolean;
}

/**
 * The body that tells a receiver of an event: the event as in the feed, and the current state of its record. One round
 * trip or a few.
 *
 * @param ledger with serializable reads: otherwise a receiver would keep a record older than its event
 * @throws Failure `unavailable` if the current state of the record cannot be read
 */
export async function webhookBodyOf(
  ledger: Ledger,
  stored: StoredEvent,
  isAllowed: (scope: Scope) => boolean,
): Promise<WebhookBody> {
  const event = toRecordedEvent(ledger, stored, isAllowed);
  const type = webhookTypeOf(event.type);
  const { about } = publicKindOf(stored.event.event);
  const shown =
    about === undefined || about === 'token' || event.recordId === undefined
      ? undefined
      : await readRecord(ledger, { type: about, id: event.recordId, isRemoved: false });
  const record = shown?.record ?? null;
  // The feed has no state of a token: see `namedTypes`.
  const isThin = about === 'token' || Buffer.byteLength(JSON.stringify(record)) > maxRecordBytes;
  const data = { ...event, ...(isThin ? { isThin } : { record }) };
  const leadId = leadIdOf(shown);
  return {
    text: JSON.stringify({ type, timestamp: event.createdAt, id: event.id, data }),
    type,
    lead: leadId === undefined ? undefined : ledger.ref(leads, leadId).number,
    isOfGone: record === null && about !== undefined && isOfLead(about),
  };
}

/** True if records of this type can be about a person, and are gone once the lead is erased. */
const isOfLead = (type: string): boolean => ['lead', 'inquiry', 'appointment'].includes(type);

/** Id of the lead that a record is about. */
function leadIdOf(shown: ReadRecord | undefined): string | undefined {
  if (shown?.type === 'lead') return shown.record?.id;
  if (shown?.type === 'inquiry' || shown?.type === 'appointment') return shown.record?.leadId ?? undefined;
  return undefined;
}
