import * as v from 'valibot';
import { categories } from '../../../shared/domain/categories/categories.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import type { InquirySource } from '../../../shared/contract/inquiries.ts';
import { inquiries, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { calls, chats, emails, forms } from '../../../shared/domain/inquiries/sources.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { numberOf, type OrganizationCode } from '../../../shared/core/ids.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
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
import type { Finding } from './finding.ts';
import { numberFlag, type ObservedRecord, type Verification } from './verification.ts';
import type { Check } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

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

/** Greater than any record number, so that collection and number fit into one number. */
const span = 1e12;

/**
 * Verifies that referenced records exist. A deleted record may still be referenced where `mayBeGone` is set.
 */
export class References {
  readonly #verification: Verification;
  readonly #names: string[] = [];
  /** First record that references each record which was not read before. */
  readonly #namedBy = new Map<string, { mayBeGone: boolean; to: string; first: SparseNumbers }>();
  readonly #impossible: { name: string; number: number }[] = [];

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  observe({ collection: { name }, number, record }: ObservedRecord): void {
    const references = byCollection.get(name);
    for (const { to, number: named, mayBeGone = false } of references?.of(
      record,
      this.#verification.organization,
    ) ?? []) {
      if (named === undefined) this.#impossible.push({ name: name, number });
      else if (this.#verification.observedCollection(to.name).flags.get(named) !== numberFlag.record) {
        const at = `${to.name} ${mayBeGone}`;
        const namedBy = this.#namedBy.get(at) ?? { mayBeGone, to: to.name, first: new SparseNumbers() };
        this.#namedBy.set(at, namedBy);
        if (namedBy.first.get(named) === 0) namedBy.first.set(named, this.#indexOf(name) * span + number);
      }
    }
  }

  async verify(): Promise<void> {
    await this.#verification.inBatches(this.#suspects(), 'what records name', async (batch) => {
      const checks = batch.map(({ name, number }) => this.#check(name, number));
      const results = await this.#verification.runChecks(checks);
      this.#verification.findings.push(...results.flatMap((found) => found ?? []));
    });
  }

  /** Records with a reference to a missing record, each once. */
  *#suspects(): Generator<{ name: string; number: number }> {
    yield* this.#impossible;
    const yielded = new Set<number>();
    for (const { mayBeGone, to, first } of this.#namedBy.values()) {
      const { flags } = this.#verification.observedCollection(to);
      for (const [named, by] of first) {
        const flag = flags.get(named);
        const isFine = (flag & numberFlag.record) !== 0 || (mayBeGone && (flag & numberFlag.hole) !== 0);
        if (isFine || yielded.has(by)) continue;
        yielded.add(by);
        yield { name: this.#names[Math.floor(by / span)] ?? '', number: by % span };
      }
    }
  }

  #check(name: string, number: number): Check<Finding[]> {
    const { organization } = this.#verification;
    const where = this.#verification.nameOf(name, number);
    return (snapshot) => {
      const references = byCollection.get(name);
      const item = snapshot.get(recordKey(organization, name, number));
      const head = this.#verification.headIn(snapshot);
      if (!references || !head) return [];
      const record = v.safeParse(references.from.schema, item);
      if (!record.success) return [];
      return references.of(record.output, organization).flatMap(({ field, to, number: named, mayBeGone }) => {
        const isThere =
          named !== undefined && snapshot.get(recordKey(organization, to.name, named)) !== undefined;
        const wasThere = named !== undefined && named <= stateIn(head, to.name).last;
        if (isThere || (mayBeGone && wasThere)) return [];
        const what =
          named === undefined ? `no ${to.label} at all` : this.#verification.nameOf(to.name, named);
        const sentence = `${where} names ${what} (${field}), which is not there.`;
        return [{ kind: 'reference-broken', where, sentence } satisfies Finding];
      });
    };
  }

  #indexOf(name: string): number {
    const at = this.#names.indexOf(name);
    return at === -1 ? this.#names.push(name) - 1 : at;
  }
}
