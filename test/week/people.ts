import { expect } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { LeadMatch } from '../../shared/contract/leads.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { ApiClient } from '../support/api-client.ts';
import type { Business } from './business.ts';

/** An inquiry that comes in: the name of its lead, and the other fields of `POST /v1/inquiries`. */
export interface Incoming {
  /** Name of the lead in the story. A known lead must be found, an unknown one created. */
  of: string;
  source: 'CALL' | 'EMAIL' | 'CHATBOT' | 'SMS' | 'WEBFORM';
  [field: string]: unknown;
}

/** A person or a provider with a token of the business. */
class Caller {
  readonly business: Business;
  readonly api: ApiClient;

  constructor(business: Business, token: string, scopes: readonly Scope[]) {
    this.business = business;
    this.api = business.clientWith(token, scopes);
  }

  /** Sends an inquiry, named `name` in the story. Returns the response's body. */
  async brings(name: string, incoming: Incoming): Promise<object> {
    const { of, ...body } = { data: {}, ...incoming };
    const { status, body: answer } = await this.api.attempt('createInquiry', { body });
    expect(status, JSON.stringify(answer)).toBe(201);
    this.#note(name, of, answer);
    return answer as object;
  }

  /** Sends an inquiry again. Nothing is stored, and the response names the same records. */
  async bringsAgain(name: string, incoming: Incoming): Promise<object> {
    const { of, ...body } = { data: {}, ...incoming };
    const { status, body: answer } = await this.api.attempt('createInquiry', { body });
    expect(status, JSON.stringify(answer)).toBe(200);
    this.#note(name, of, answer);
    return answer as object;
  }

  /** Sends the same inquiry twice at once. One is stored, and both responses name it. */
  async bringsTwiceAtOnce(name: string, incoming: Incoming): Promise<void> {
    const { of, ...body } = { data: {}, ...incoming };
    const attempt = () => this.api.attempt('createInquiry', { body });
    const answers = await Promise.all([attempt(), attempt()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    for (const answer of answers) this.#note(name, of, answer.body);
  }

  #note(name: string, of: string, answer: unknown): void {
    const { inquiry, lead } = answer as { inquiry: { id: string }; lead: { id: string } | null };
    this.business.names.give(name, inquiry.id);
    if (lead) this.business.names.give(of, lead.id);
  }
}

/** A provider of telephony, mail or chat, or a website. Its token may only create inquiries. */
export class Provider extends Caller {
  static async of(business: Business, name: string): Promise<Provider> {
    const scopes: Scope[] = ['inquiries:create'];
    return new Provider(business, await business.issueToken(name, scopes), scopes);
  }

  /** Checks that the response contains only ids. */
  learns(answer: object): void {
    const id = expect.any(String) as string;
    expect(answer).toEqual({ inquiry: { id }, lead: { id } });
  }

  async mayNot(endpoint: Endpoint, params: Record<string, string> = {}, body?: object): Promise<void> {
    await this.api.failure(endpoint, 403, { params, ...(body && { body }) });
  }
}

/** A person of the business, who may do everything. */
export class Person extends Caller {
  /** Adds a lead by hand. */
  async adds(name: string, body: object): Promise<void> {
    const { lead } = await this.api.call('createLead', { body });
    this.business.names.give(name, lead.id);
  }

  /** Sends a lead twice at once, as a program does that keeps its own customers. Both answers show the same lead. */
  async syncs(name: string, match: LeadMatch, body: object, statuses: readonly number[]): Promise<void> {
    const attempt = () => this.api.answer('upsertLead', { query: { match }, body });
    const [one, other] = await Promise.all([attempt(), attempt()]);
    expect([one.status, other.status].sort()).toEqual(statuses);
    expect(one.body).toEqual(other.body);
    this.business.names.give(name, one.body.lead.id);
  }

  /** Changes settings of the business. */
  async sets(body: object): Promise<void> {
    await this.api.call('updateOrganization', { body });
  }

  async changes(name: string, body: object): Promise<void> {
    await this.api.call('updateLead', { params: this.#lead(name), body });
  }

  moves(name: string, status: string): Promise<void> {
    return this.changes(name, { status });
  }

  marksRead(name: string, read = true): Promise<void> {
    return this.changes(name, { read });
  }

  /** Sends an SMS to a lead in the conversation `inquiry`. The provider then reports its delivery. */
  async texts(name: string, inquiry: string, message: string): Promise<void> {
    const known = this.business.names.has(inquiry) && (await this.#threadOf(inquiry));
    const { leadId } = this.#lead(name);
    const body = { userId: this.business.ownerId, leadId, message, ...(known && { messageThreadId: known }) };
    const { inquiryId } = await this.business.whileTold(1, () => this.api.call('sendSms', { body }));
    this.business.names.give(inquiry, inquiryId);
  }

  /** Fails to send an SMS to a lead that has opted out. */
  async cannotText(name: string): Promise<void> {
    const body = { userId: this.business.ownerId, ...this.#lead(name), message: 'Never to be read' };
    const { status, headers } = await this.api.attempt('sendSms', { body });
    expect([status, headers.get('x-failure-reason')]).toEqual([400, 'OPTED_OUT']);
  }

  /** Finds the newest inquiry, and names it and its lead. */
  async finds(name: string, of: string): Promise<void> {
    const { inquiries } = await this.api.call('listInquiries', { query: { limit: 1 } });
    const [{ id, leadId } = { id: '', leadId: '' }] = inquiries;
    this.business.names.give(name, id);
    this.business.names.give(of, leadId);
  }

  /** Counts all leads and inquiries. */
  async counts(): Promise<{ leads: number; inquiries: number }> {
    const { totalCount: leads } = await this.api.call('listLeads');
    const { totalCount: inquiries } = await this.api.call('listInquiries');
    return { leads, inquiries };
  }

  /** Reads a lead. Returns its tag for a later change. */
  async opens(name: string): Promise<string> {
    const { headers } = await this.api.answer('getLead', { params: this.#lead(name) });
    return headers.get('etag') ?? '';
  }

  /** Changes a lead with a tag. Returns the new tag. */
  async saves(name: string, body: object, etag: string): Promise<string> {
    const parts = { params: this.#lead(name), body, headers: { 'If-Match': etag } };
    const { headers } = await this.api.answer('updateLead', parts);
    return headers.get('etag') ?? '';
  }

  /** Fails to change a lead because its tag is outdated. Returns the current tag. */
  async cannotSave(name: string, body: object, etag: string): Promise<string> {
    const parts = { params: this.#lead(name), body, headers: { 'If-Match': etag } };
    const { status, headers } = await this.api.attempt('updateLead', parts);
    expect(status).toBe(412);
    return headers.get('etag') ?? '';
  }

  async deletes(name: string, etag: string): Promise<void> {
    await this.api.call('deleteLead', { params: this.#lead(name), headers: { 'If-Match': etag } });
  }

  /** Erases a lead, which may have been deleted or erased before. */
  async erases(name: string): Promise<void> {
    const params = this.#lead(name);
    let asked = 0;
    for (let isDone = false; !isDone; asked++) isDone = (await this.api.call('eraseLead', { params })).done;
    expect(asked).toBeLessThan(3);
    expect(await this.api.call('eraseLead', { params })).toMatchObject({ done: true });
    await this.api.failure('getLead', 404, { params });
  }

  /** Sets `isRead`, `isFlagged`, `tag` or `summary` of an inquiry. */
  async marks(inquiry: string, body: object): Promise<void> {
    const inquiryId = this.business.names.idOf(inquiry);
    await this.api.call('updateInquiry', { params: { inquiryId }, body });
  }

  async #threadOf(inquiry: string): Promise<string> {
    const params = { inquiryId: this.business.names.idOf(inquiry) };
    return (await this.api.call('getInquiry', { params })).data.id;
  }

  #lead = (name: string) => ({ leadId: this.business.names.idOf(name) });
}
