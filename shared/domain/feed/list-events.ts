import { sentences } from '../../contract/errors.ts';
import type { ChangedRecord, EventPage, EventQuery, RecordedEvent } from '../../contract/event-feed.ts';
import {
  isRecordType,
  namedTypes,
  publicKindOf,
  recordTypes,
  type RecordType,
} from '../../contract/events.ts';
import type { Scope } from '../../contract/scopes.ts';
import { Failure, invalid } from '../../core/failure.ts';
import type { Collection, Ledger, StoredEvent } from '../../ledger/index.ts';
import { appointments } from '../appointments/appointment-record.ts';
import { categories } from '../categories/categories.ts';
import { companies, notes } from '../companies/companies.ts';
import { faqs } from '../faqs/faqs.ts';
import { inquiries } from '../inquiries/inquiry-record.ts';
import { leads } from '../leads/lead-record.ts';
import { members } from '../members/members.ts';
import { organizations } from '../settings/organization-record.ts';
import { policies } from '../policies/policies.ts';
import { products } from '../products/products.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { services } from '../services/services.ts';
import { invitations } from '../tokens/invitations.ts';
import { transfers } from '../transfers/transfers.ts';
import { webhooks } from '../webhooks/webhooks.ts';

/** Collection of each type of record that clients can read. */
const collections: Record<RecordType, Collection> = {
  lead: leads,
  inquiry: inquiries,
  company: companies,
  note: notes,
  organization: organizations,
  member: members,
  invitation: invitations,
  category: categories,
  service: services,
  scenario: scenarios,
  product: products,
  transfer: transfers,
  policy: policies,
  faq: faqs,
  appointment: appointments,
  webhook: webhooks,
};
const types = new Map(
  Object.keys(collections)
    .filter(isRecordType)
    .map((type) => [collections[type].name, type] as const),
);

/** True if the principal's token grants a scope. */
type IsAllowed = (scope: Scope) => boolean;

/**
 * Events after a number, oldest first, with the ids of records that the token may read. One round trip.
 * @throws Failure `gone` if `after` is of another epoch; `invalid` if it is beyond the newest event
 */
export async function listEvents(
  ledger: Ledger,
  { after, limit, types: wanted }: EventQuery,
  isAllowed: IsAllowed,
): Promise<EventPage> {
  const [number, epochBefore] = after.split('@');
  const known = Number(number);
  const { events, version, epoch } = await ledger.eventsAfter(known, limit);
  if (epochBefore !== undefined && epochBefore !== epoch) throw new Failure('gone', sentences.otherEpoch);
  if (known > version)
    throw invalid([{ field: 'after', message: `must be at most ${version}, the newest event` }]);
  const names = wanted?.split(',');
  return {
    events: events
      .map((event) => toRecordedEvent(ledger, event, isAllowed))
      .filter(({ type }) => names?.includes(type) ?? true),
    records: [],
    nextAfter: known + events.length,
    version,
    epoch,
  };
}

/** An event as clients see it, with the ids of records that they may read. No call. */
export function toRecordedEvent(
  ledger: Ledger,
  { event, write, changed }: StoredEvent,
  isAllowed: IsAllowed,
): RecordedEvent {
  const { id, data, referenceId, userId, tokenId = null, requestId = null, createdAt, fields } = event;
  const { name, about } = publicKindOf(event.event);
  const isShown = about !== undefined && isAllowed(namedTypes[about]);
  return {
    id,
    type: name,
    createdAt,
    userId,
    tokenId,
    requestId,
    ...(isShown && { recordId: idIn(referenceId) }),
    summary: data,
    ...(isShown && fields && { changedFields: fields }),
    write,
    changed: changed.flatMap(({ collection, number, isRemoved }): ChangedRecord[] => {
      const type = types.get(collection);
      if (type === undefined || !isAllowed(recordTypes[type])) return [];
      return [{ type, id: idOf(ledger, type, number), revision: write, isRemoved }];
    }),
  };
}

/** The id that an event names as text. */
const idIn = (referenceId: string): string | number =>
  /^\d+$/.test(referenceId) ? Number(referenceId) : referenceId;

const idOf = (ledger: Ledger, type: RecordType, number: number): string | number =>
  type === 'organization' ? `org_${ledger.organization}` : ledger.idOf(collections[type], number);
