import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { verifyOrganization } from '../../../support/verify-organization.ts';
import type { NewInquiry } from '../../../../shared/contract/new-inquiry.ts';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/create-inquiry.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { addMessage, threads } from '../../../../shared/domain/threads/threads.ts';
import { events, type Ledger, type RecordRef } from '../../../../shared/ledger/index.ts';
import { TableInMemory } from '../../../infra/admin/table-in-memory.ts';
import { aroundCalls } from '../../../support/store/around-calls.ts';
import type { StoredOrganization } from '../../../support/stored-organization.ts';

/** An organization in memory. A test can kill its writing process at any call. */
export class ErasedOrganization {
  readonly table: TableInMemory;
  readonly #organization: StoredOrganization;
  /** Number of calls so far. Successive calls of one kind count as one. */
  calls = 0;
  #lastCommand: string | undefined;
  #other: { left: number; act: () => Promise<unknown> } | undefined;
  #death: { at: number; when: 'before' | 'after' } | undefined;

  private constructor(table: TableInMemory, organization: StoredOrganization) {
    this.table = table;
    this.#organization = organization;
    const killed = new Error('The process ended');
    aroundCalls(table.access.client, async (operation, send) => {
      await this.#letOtherIn();
      if (operation !== this.#lastCommand) this.calls++;
      this.#lastCommand = operation;
      const [call, death] = [this.calls, this.#death];
      if (!death || call < death.at) return send();
      if (call === death.at && death.when === 'after') await send();
      throw killed;
    });
  }

  static async found(): Promise<ErasedOrganization> {
    const table = new TableInMemory();
    return new ErasedOrganization(table, await table.found());
  }

  get code() {
    return this.#organization.code;
  }

  get userId() {
    return this.#organization.userId;
  }

  /** A ledger of the organization that remembers nothing. */
  ledger(milliseconds?: number): Ledger {
    return this.#organization.openLedger(milliseconds === undefined ? {} : { milliseconds }).ledger;
  }

  /** Runs something with the table's clock. */
  run<T>(act: (ledger: Ledger) => Promise<T>): Promise<T> {
    return this.table.run(() => act(this.ledger()));
  }

  erase(leadId: string): Promise<boolean> {
    return this.run((ledger) => eraseLead(ledger, leadId));
  }

  /** Runs something in a process that is killed at one of its calls, counted from 1. */
  async kill<T>(at: number, when: 'before' | 'after', act: (ledger: Ledger) => Promise<T>): Promise<void> {
    this.calls = 0;
    this.#lastCommand = undefined;
    this.#death = { at, when };
    await this.run(act).then(
      () => undefined,
      () => undefined,
    );
    this.#death = undefined;
  }

  /**
   * Runs something, and something else before one of its calls to DynamoDB, counted from 1. Returns the
   * outcome of the first, and whether it made so many calls.
   */
  async meet<T>(at: number, act: (ledger: Ledger) => Promise<T>, other: () => Promise<unknown>) {
    const met = { is: false };
    this.#other = {
      left: at,
      act: () => {
        met.is = true;
        return other();
      },
    };
    const outcome = await this.run(act).catch((error: unknown) => error);
    this.#other = undefined;
    return { outcome, isMet: met.is };
  }

  async #letOtherIn(): Promise<void> {
    const other = this.#other;
    if (!other || --other.left > 0) return;
    this.#other = undefined;
    await other.act();
  }

  /** Findings of `verify`. */
  async findings() {
    return (await this.run(() => verifyOrganization(this.table.access, this.code))).findings;
  }

  /** Events with the ids that they are about, newest first. */
  async events(limit = 100): Promise<string[]> {
    const { items } = await this.run((ledger) => ledger.page(events, { page: 1, limit }));
    return items.map(({ event, referenceId }) => `${event} ${referenceId}`);
  }

  /** All stored items, as one text. */
  async everything(): Promise<string> {
    const { client, tableName: TableName } = this.table.access;
    const { Items } = await this.run(() => client.send(new ScanCommand({ TableName })));
    return JSON.stringify(Items);
  }

  /** Creates a lead with an inquiry of each source. Each text of them contains the lead's name. */
  async leadWithAll({
    name,
    ...lead
  }: {
    name: string;
    email: string;
    phone: string;
  }): Promise<{ id: string; inquiryIds: string[] }> {
    const text = `${name} of ${name}'s Bakery has no hot water`;
    const said = [{ text }, { text }];
    const arrivals: NewInquiry[] = [
      { source: 'CALL', data: { summary: text, keyPoints: [text], transcripts: said } },
      { source: 'EMAIL', data: { subject: text, from: lead.email, body: text } },
      { source: 'CHATBOT', data: { messages: said } },
      { source: 'SMS', data: { messages: said } },
      { source: 'WEBFORM', data: { fields: { [name]: text } } },
    ];
    return this.run(async (ledger) => {
      const socials = { [name]: lead.email };
      const names = { name, suburb: name, businessName: name, externalId: name };
      const { id } = await createLead(ledger, { ...lead, ...names, socials });
      const inquiryIds: string[] = [];
      for (const arrival of arrivals) {
        const externalInquiryId = `${lead.email} ${arrival.source}`;
        const input = { ...arrival, leadId: id, summary: text, tag: 'Hot water', externalInquiryId };
        inquiryIds.push((await createInquiry(ledger, input)).inquiry.id);
      }
      return { id, inquiryIds };
    });
  }

  /**
   * Creates a lead with one thread of so many messages. Each message's text is also its id at the provider.
   */
  async leadWithThread(
    messageCount: number,
    name = 'Bo',
  ): Promise<{ id: string; inquiryId: string; threadId: number }> {
    return this.run(async (ledger) => {
      const { id } = await createLead(ledger, { name });
      const data = { messages: [] };
      const inquiry = await storeInquiry(ledger, id, { source: 'SMS', summary: '', data });
      const thread = ledger.ref(threads, inquiry.sourceId);
      for (let first = 1; first <= messageCount; first += 40) {
        const numbers = Array.from({ length: Math.min(40, messageCount + 1 - first) }, (_, at) => first + at);
        await addTexts(ledger, thread, ...numbers.map((at) => `${name} wrote ${at}`));
      }
      return { id, inquiryId: inquiry.id, threadId: thread.number };
    });
  }

  /** Adds an incoming message to a thread. */
  addText(threadId: number, text: string): Promise<void> {
    return this.run((ledger) => addTexts(ledger, ledger.ref(threads, threadId), text));
  }
}

/** Adds messages to a thread. Each message's text is also its id at the provider. */
const addTexts = (ledger: Ledger, thread: RecordRef<typeof threads>, ...texts: string[]): Promise<void> =>
  ledger.write({ change: { thread } }, (write, { thread: before }) => {
    for (const text of texts) {
      const came = { direction: 'INBOUND', status: 'RECEIVED', userId: null } as const;
      addMessage(write, before, { ...came, text, providerId: text });
    }
    write.event({ event: 'TEST', data: 'A test', referenceId: String(thread.number) });
  });
