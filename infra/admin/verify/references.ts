import { numberOf, type OrganizationCode } from '../../../shared/core/ids.ts';
import { appointments, attendances } from '../../../shared/domain/appointments/appointment-record.ts';
import { categories } from '../../../shared/domain/categories/categories.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import { inquiries } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { sources } from '../../../shared/domain/inquiries/sources.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { products } from '../../../shared/domain/products/products.ts';
import { scenarios } from '../../../shared/domain/scenarios/scenarios.ts';
import { services } from '../../../shared/domain/services/services.ts';
import { messages, threads } from '../../../shared/domain/threads/threads.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { transfers } from '../../../shared/domain/transfers/transfers.ts';
import { webhooks } from '../../../shared/domain/webhooks/webhooks.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import { isOf, type ReadRecord, Rule } from './judgement.ts';

/** Field with the id of a record of another collection, or with several; null if it names none. */
interface Reference {
  from: string;
  field: string;
  to: Collection;
  /** True if the referenced record may be deleted while the reference stays. */
  mayBeGone: boolean;
}

const reference = <C extends Collection>(
  { name: from }: C,
  field: keyof RecordOf<C> & string,
  to: Collection,
  { mayBeGone = false } = {},
): Reference => ({ from, field, to, mayBeGone });

/**
 * References that the code relies on, beside `sourceId`: the code reads one record, and takes the other for
 * granted.
 */
const references = Map.groupBy(
  [
    reference(inquiries, 'leadId', leads, { mayBeGone: true }),
    reference(threads, 'inquiryId', inquiries),
    reference(threads, 'leadId', leads, { mayBeGone: true }),
    reference(messages, 'threadId', threads),
    reference(messages, 'inquiryId', inquiries),
    reference(leads, 'lastInquiryId', inquiries),
    reference(leads, 'newestThreadId', threads),
    reference(notes, 'companyId', companies, { mayBeGone: true }),
    reference(services, 'scenarioId', scenarios),
    reference(services, 'tradeCategoryId', categories),
    reference(products, 'tradeCategoryId', categories),
    reference(scenarios, 'tradeServiceId', services),
    reference(transfers, 'scenarioId', scenarios),
    reference(tokens, 'userId', members, { mayBeGone: true }),
    reference(tokens, 'replacedBy', tokens),
    reference(webhooks, 'tokenId', tokens),
    reference(webhooks, 'userId', members, { mayBeGone: true }),
    reference(appointments, 'leadId', leads, { mayBeGone: true }),
    reference(appointments, 'tradeServiceId', services, { mayBeGone: true }),
    reference(appointments, 'attendees', members, { mayBeGone: true }),
    reference(appointments, 'attendances', attendances),
    reference(attendances, 'appointmentId', appointments),
    reference(attendances, 'userId', members, { mayBeGone: true }),
    reference(members, 'newestAppointment', appointments, { mayBeGone: true }),
  ],
  ({ from }) => from,
);

/** Judges that referenced records exist. A removed record may still be referenced if `mayBeGone` is set. */
export class References extends Rule {
  /** References to records that were not read yet. */
  readonly #later: { reference: Reference; holder: number; number: number | undefined }[] = [];

  observe(read: ReadRecord): void {
    const { name } = read.collection;
    const ofSource = isOf(read, inquiries)
      ? [reference(inquiries, 'sourceId', sources[read.record.source])]
      : [];
    for (const one of [...ofSource, ...(references.get(name) ?? [])]) {
      const named: unknown = read.record[one.field];
      const ids: unknown[] = Array.isArray(named) ? named : [named];
      for (const id of ids) {
        if (typeof id !== 'string' && typeof id !== 'number') continue;
        const number = numberIn(one.to, this.judgement.organization, id);
        if (!this.#isFine(one, number)) this.#later.push({ reference: one, holder: read.number, number });
      }
    }
  }

  finish(): void {
    const judgement = this.judgement;
    for (const { reference, holder, number } of this.#later) {
      if (this.#isFine(reference, number)) continue;
      const { from, field, to } = reference;
      const where = judgement.nameOf(from, holder);
      const named = number === undefined ? `no ${to.label} at all` : judgement.nameOf(to.name, number);
      judgement.add('reference-broken', where, `${where} names ${named} (${field}), which is not there.`);
    }
  }

  #isFine({ to, mayBeGone }: Reference, number: number | undefined): boolean {
    if (number === undefined) return false;
    const { last } = this.judgement.numbersOf(to.name);
    return this.judgement.isRecord(to.name, number) || (mayBeGone && number <= last);
  }
}

/** Number in an id. Records name a member by the id of its user. A member names its newest appointment by number, or by 0 for none. */
function numberIn(to: Collection, organization: OrganizationCode, id: string | number): number | undefined {
  if (typeof id === 'number') return id;
  return to === members ? numberOf('user', organization, id) : numberOfId(to, organization, id);
}
