import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { verifyOrganization } from '../../../../infra/admin/verify/verify-organization.ts';
import type { NewInquiry } from '../../../../shared/contract/new-inquiry.ts';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { receiveInquiry } from '../../../../shared/domain/inquiries/receive-inquiry.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { addMessage, threads } from '../../../../shared/domain/threads/threads.ts';
import { events, type Ledger, type RecordRef } from '../../../../shared/ledger/index.ts';
import { TableInMemory } from '../../../infra/admin/table-in-memory.ts';
import type { StoredOrganization } from '../../../support/organizations.ts';

/** An organization in memory of which a test decides when the process that writes to it ends. */
export class ErasedOrganization {
  readonly table: TableInMemory;
  readonly #organization: StoredOrganization;
  /** The calls so far, those of one kind that follow each other as one; and that at which the process ends, before or after it. */
  calls = 0;
  #lastCommand: string | undefined;
  #other: { left: number; act: () => Promise<unknown> } | undefined;
  #death: { at: number; when: 'before' | 'after' } | undefined;

  private constructor(table: TableInMemory, organization: StoredOrganization) {
    this.table = table;
    this.#organization = organization;
    const killed = new Error('The process ended');
    table.access.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          await this.#letOtherIn();
          if (commandName !== this.#lastCommand) this.calls++;
          this.#lastCommand = commandName;
          const [call, death] = [this.calls, this.#death];
          if (!death || call < death.at) return next(args);
          if (call === death.at && death.when === 'after') await next(args);
          throw killed;
        },
      { step: 'initialize', name: 'death' },
    );
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

  /** Its ledger, of which nothing is remembered. */
  ledger(milliseconds?: number): Ledger {
    return this.#organization.openLedger(milliseconds === undefined ? {} : { milliseconds }).ledger;
  }

  /** Carries something out in the table's time. */
  run<T>(act: (ledger: Ledger) => Promise<T>): Promise<T> {
    return this.table.run(() => act(this.ledger()));
  }

  erase(leadId: string): Promise<boolean> {
    return this.run((ledger) => eraseLead(ledger, leadId));
  }

  /** Lets the process that does something end at one of its calls, counted from 1. */
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
   * Carries something out, and something else within it: before one of its calls to DynamoDB, counted from 1. Tells what
   * came of the first, and whether it made so many calls.
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

  /** What `verify` finds. */
  async findings() {
    return (await this.run(() => verifyOrganization(this.table.access, this.code))).findings;
  }

  /** Each event so far, and what it is about, the newest first. */
  async events(limit = 100): Promise<string[]> {
    const { items } = await this.run((ledger) => ledger.page(events, { page: 1, limit }));
    return items.map(({ event, referenceId }) => `${event} ${referenceId}`);
  }

  /** All that is stored, as one text. */
  async everything(): Promise<string> {
    const { client, tableName: TableName } = this.table.access;
    const { Items } = await this.run(() => client.send(new ScanCommand({ TableName })));
    return JSON.stringify(Items);
  }

  /** A lead with an inquiry of each source, each text of which has the lead's name. */
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
      const { id } = await createLead(ledger, { ...lead, name, suburb: name, businessName: name, socials });
      const inquiryIds: string[] = [];
      for (const arrival of arrivals) {
        const externalInquiryId = `${lead.email} ${arrival.source}`;
        const input = { ...arrival, leadId: id, summary: text, tag: 'Hot water', externalInquiryId };
        inquiryIds.push((await receiveInquiry(ledger, input)).inquiry.id);
      }
      return { id, inquiryIds };
    });
  }

  /** A lead with one thread that has this many messages, the provider's id of each its text. */
  async leadWithThread(
    messageCount: number,
    name = 'Bo',
  ): Promise<{ id: string; inquiryId: string; threadId: number }> {
    return this.run(async (ledger) => {
      const { id } = await createLead(ledger, { name });
      const data = { messages: [] };
      const inquiry = await createInquiry(ledger, id, { source: 'SMS', summary: '', data });
      const thread = ledger.ref(threads, inquiry.sourceId);
      for (let first = 1; first <= messageCount; first += 40) {
        const numbers = Array.from({ length: Math.min(40, messageCount + 1 - first) }, (_, at) => first + at);
        await addTexts(ledger, thread, ...numbers.map((at) => `${name} wrote ${at}`));
      }
      return { id, inquiryId: inquiry.id, threadId: thread.number };
    });
  }

  /** A text comes in for a thread. */
  addText(threadId: number, text: string): Promise<void> {
    return this.run((ledger) => addTexts(ledger, ledger.ref(threads, threadId), text));
  }
}

/** Adds messages to a thread, the provider's id of each its text. */
const addTexts = (ledger: Ledger, thread: RecordRef<typeof threads>, ...texts: string[]): Promise<void> =>
  ledger.write({ change: { thread } }, (write) => {
    for (const text of texts) {
      const came = { direction: 'INBOUND', status: 'RECEIVED', userId: null } as const;
      addMessage(write, thread.number, { ...came, text, providerId: text });
    }
    write.event({ event: 'TEST', data: 'A test', referenceId: String(thread.number) });
  });
