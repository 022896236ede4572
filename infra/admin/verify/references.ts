import { categories } from '../../../shared/domain/categories/categories.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import type { InquirySource } from '../../../shared/contract/inquiries.ts';
import { inquiries, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { calls, chats, emails, forms } from '../../../shared/domain/inquiries/sources.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { numberOf, type OrganizationCode } from '../../../shared/core/ids.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { products } from '../../../shared/domain/products/products.ts';
import { scenarios } from '../../../shared/domain/scenarios/scenarios.ts';
import { services } from '../../../shared/domain/services/services.ts';
import {
  messages,
  threads,
  type MessageRecord,
  type ThreadRecord,
} from '../../../shared/domain/threads/threads.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { transfers } from '../../../shared/domain/transfers/transfers.ts';
import { numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import type { Judgement, ReadRecord, Rule } from './judgement.ts';

/** Reference to another record. */
interface Reference {
  field: string;
  to: Collection;
  /** Undefined if the value can be no record's id. */
  number: number | undefined;
  /** True if the referenced record may be deleted while the reference stays. */
  mayBeGone?: true;
}

interface ReferencesOf {
  from: Collection;
  of(record: RecordOf<Collection>, organization: OrganizationCode): Reference[];
}

const sourceCollections = {
  CALL: calls,
  EMAIL: emails,
  CHATBOT: chats,
  SMS: threads,
  WEBFORM: forms,
} as const satisfies Record<InquirySource, Collection>;

const inCategory = ({ tradeCategoryId }: { tradeCategoryId: number }): Reference[] => [
  { field: 'tradeCategoryId', to: categories, number: tradeCategoryId },
];

/** References that the code relies on: it reads one record, and takes the other for granted. */
const allReferences: readonly ReferencesOf[] = [
  {
    from: inquiries,
    of: ({ source, sourceId, leadId }: InquiryRecord, organization) => {
      const to = sourceCollections[source];
      const id = source === 'SMS' ? Number(sourceId) : sourceId;
      return [
        { field: 'sourceId', to, number: numberOfId(to, organization, id) },
        { field: 'leadId', to: leads, number: numberOfId(leads, organization, leadId), mayBeGone: true },
      ];
    },
  },
  {
    from: threads,
    of: ({ inquiryId, leadId }: ThreadRecord, organization) => [
      { field: 'inquiryId', to: inquiries, number: numberOfId(inquiries, organization, inquiryId) },
      { field: 'leadId', to: leads, number: numberOfId(leads, organization, leadId), mayBeGone: true },
    ],
  },
  {
    from: messages,
    of: ({ threadId }: MessageRecord) => [{ field: 'threadId', to: threads, number: threadId }],
  },
  {
    from: leads,
    of: ({ lastInquiryId: id }: LeadRecord, organization) =>
      id === null
        ? []
        : [{ field: 'lastInquiryId', to: inquiries, number: numberOfId(inquiries, organization, id) }],
  },
  {
    from: notes,
    of: ({ companyId }: RecordOf<typeof notes>, organization) => [
      { field: 'companyId', to: companies, number: numberOfId(companies, organization, companyId) },
    ],
  },
  {
    from: services,
    of: (service: RecordOf<typeof services>) => [
      { field: 'scenarioId', to: scenarios, number: service.scenarioId },
      ...inCategory(service),
    ],
  },
  { from: products, of: (product: RecordOf<typeof products>) => inCategory(product) },
  {
    from: scenarios,
    of: ({ tradeServiceId: number }: RecordOf<typeof scenarios>) =>
      number === null ? [] : [{ field: 'tradeServiceId', to: services, number }],
  },
  {
    from: transfers,
    of: ({ scenarioId: number }: RecordOf<typeof transfers>) =>
      number === null ? [] : [{ field: 'scenarioId', to: scenarios, number }],
  },
  {
    from: tokens,
    of: ({ userId, replacedBy: number }: RecordOf<typeof tokens>, organization) => [
      { field: 'userId', to: members, number: numberOf('user', organization, userId) },
      ...(number === null ? [] : [{ field: 'replacedBy', to: tokens, number }]),
    ],
  },
];

const byCollection = new Map(allReferences.map((references) => [references.from.name, references]));

/** Judges that referenced records exist. A removed record may still be referenced where `mayBeGone` is set. */
export class References implements Rule {
  readonly #judgement: Judgement;
  /** References to records that were not read yet. */
  readonly #later: { from: ReadRecord; reference: Reference }[] = [];

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  observe(from: ReadRecord): void {
    const references =
      byCollection.get(from.collection.name)?.of(from.record, this.#judgement.organization) ?? [];
    for (const reference of references) if (!this.#isFine(reference)) this.#later.push({ from, reference });
  }

  finish(): void {
    const judgement = this.#judgement;
    for (const { from, reference } of this.#later) {
      if (this.#isFine(reference)) continue;
      const { field, to, number } = reference;
      const where = judgement.nameOf(from.collection.name, from.number);
      const named = number === undefined ? `no ${to.label} at all` : judgement.nameOf(to.name, number);
      judgement.add('reference-broken', where, `${where} names ${named} (${field}), which is not there.`);
    }
  }

  #isFine({ to, number, mayBeGone }: Reference): boolean {
    if (number === undefined) return false;
    const { last } = this.#judgement.numbersOf(to.name);
    return this.#judgement.isRecord(to.name, number) || (mayBeGone === true && number <= last);
  }
}
