import type { ChangedRecord, EventPage, RecordedEvent, ShownRecord } from '../../contract/event-feed.ts';
import type { RecordType } from '../../contract/events.ts';
import { shownBytes } from '../../contract/inquiry-data.ts';
import { Failure } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { getAppointment } from '../appointments/appointments.ts';
import { getCategory } from '../categories/categories.ts';
import { getCompany, notes } from '../companies/companies.ts';
import { getFaq } from '../faqs/faqs.ts';
import { getInquiry } from '../inquiries/inquiries.ts';
import { getLead } from '../leads/leads.ts';
import { getMember } from '../members/members.ts';
import { getOrganization } from '../organizations/organizations.ts';
import { getPolicy } from '../policies/policies.ts';
import { getProduct } from '../products/products.ts';
import { getScenario } from '../scenarios/scenarios.ts';
import { getService } from '../services/services.ts';
import { getInvitation } from '../tokens/invitations.ts';
import { getTransfer } from '../transfers/transfers.ts';
import { getWebhook } from '../webhooks/webhooks.ts';

type Untagged<Shown> = Shown extends unknown ? Omit<Shown, 'etag'> : never;

/** A record as its GET answers it, without its `ETag`. */
export type ReadRecord = Untagged<ShownRecord>;

/** Reads a record of each type, as the GET endpoint of the type does. */
const reads: Record<RecordType, (ledger: Ledger, id: string | number) => Promise<ReadRecord>> = {
  lead: async (ledger, id) => ({ type: 'lead', id, record: await getLead(ledger, String(id)) }),
  inquiry: async (ledger, id) => ({ type: 'inquiry', id, record: await getInquiry(ledger, String(id)) }),
  company: async (ledger, id) => ({ type: 'company', id, record: await getCompany(ledger, String(id)) }),
  // A note of a company that is being deleted is still there.
  note: async (ledger, id) => ({ type: 'note', id, record: await ledger.get(ledger.ref(notes, id)) }),
  organization: async (ledger, id) => ({ type: 'organization', id, record: await getOrganization(ledger) }),
  member: async (ledger, id) => ({ type: 'member', id, record: await getMember(ledger, Number(id)) }),
  invitation: async (ledger, id) => ({
    type: 'invitation',
    id,
    record: await getInvitation(ledger, Number(id)),
  }),
  category: async (ledger, id) => ({ type: 'category', id, record: await getCategory(ledger, Number(id)) }),
  service: async (ledger, id) => ({ type: 'service', id, record: await getService(ledger, Number(id)) }),
  scenario: async (ledger, id) => ({ type: 'scenario', id, record: await getScenario(ledger, Number(id)) }),
  product: async (ledger, id) => ({ type: 'product', id, record: await getProduct(ledger, Number(id)) }),
  transfer: async (ledger, id) => ({ type: 'transfer', id, record: await getTransfer(ledger, Number(id)) }),
  policy: async (ledger, id) => ({ type: 'policy', id, record: await getPolicy(ledger, Number(id)) }),
  faq: async (ledger, id) => ({ type: 'faq', id, record: await getFaq(ledger, Number(id)) }),
  appointment: async (ledger, id) => ({
    type: 'appointment',
    id,
    record: await getAppointment(ledger, String(id)),
  }),
  webhook: async (ledger, id) => ({ type: 'webhook', id, record: await getWebhook(ledger, Number(id)) }),
};

type EtagOf = (record: unknown) => string;

/** Number of writes per round of reads. */
const writesAtOnce = 10;

/**
 * Adds to a page the records that its events changed, in their current state and each once; null if a record is gone.
 * If the answer would be too large, the page ends before the write that does not fit, but never before its first write.
 * Reads each record by itself.
 *
 * @param ledger with serializable reads: otherwise a client's copy would keep a record older than its event
 * @param etagOf the `ETag` of a record in the answer of its GET
 * @throws Failure `unavailable` if the current state of a record cannot be read, for example while an index is behind
 * for long
 */
export async function withRecords(ledger: Ledger, page: EventPage, etagOf: EtagOf): Promise<EventPage> {
  const writes = page.events.filter(({ changed }) => changed.length > 0);
  const records = new Map<string, ShownRecord>();
  // The longest conversation fits; all other records are small.
  let room = shownBytes;
  let last = 0;
  for (let from = 0; from < writes.length; from += writesAtOnce) {
    const some = writes.slice(from, from + writesAtOnce);
    const read = await readRecords(ledger, some, { known: records, etagOf });
    for (const { write, changed } of some) {
      const added = changed.flatMap((one) => (records.has(nameOf(one)) ? [] : (read.get(nameOf(one)) ?? [])));
      room -= added.reduce((sum, record) => sum + bytesInAnswer(record), 0);
      if (room < 0 && records.size > 0) return { ...endingAt(last, page), records: [...records.values()] };
      for (const record of added) records.set(nameOf(record), record);
      last = write;
    }
  }
  return { ...page, records: [...records.values()] };
}

/** Reads the records of some writes at once, except known records. Returns them by `nameOf`. */
async function readRecords(
  ledger: Ledger,
  writes: readonly RecordedEvent[],
  { known, etagOf }: { known: ReadonlyMap<string, ShownRecord>; etagOf: EtagOf },
): Promise<Map<string, ShownRecord>> {
  const changed = writes.flatMap((write) => write.changed).filter((one) => !known.has(nameOf(one)));
  // The last mention of a record says if it is gone.
  const wanted = [...new Map(changed.map((one) => [nameOf(one), one])).values()];
  const read = await Promise.all(wanted.map((one) => readRecord(ledger, one)));
  return new Map(
    read.map((one) => [nameOf(one), { ...one, etag: one.record && etagOf(one.record) }] as const),
  );
}

/** Current state of a record; null if it is gone. Use a ledger with serializable reads. */
export async function readRecord(
  ledger: Ledger,
  { type, id, isRemoved }: Omit<ChangedRecord, 'revision'>,
): Promise<ReadRecord> {
  if (isRemoved) return { type, id, record: null };
  try {
    return await reads[type](ledger, id);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return { type, id, record: null };
    throw error;
  }
}

/** The page up to the end of a write. */
const endingAt = (write: number, page: EventPage): EventPage => ({
  ...page,
  events: page.events.filter(({ id }) => id <= write),
  nextAfter: write,
});

const nameOf = ({ type, id }: Pick<ChangedRecord, 'type' | 'id'>) => `${type} ${id}`;

/** Size of a record in an answer, in bytes. An answer's body is a string within JSON. */
const bytesInAnswer = (record: ShownRecord) => Buffer.byteLength(JSON.stringify(JSON.stringify(record)));
