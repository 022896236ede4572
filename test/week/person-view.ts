import { expect } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import {
  listInquiriesEndpoint,
  type InquiryListItem,
  type SmsData,
} from '../../shared/contract/inquiries.ts';
import { listLeadActivitiesEndpoint, listLeadsEndpoint, type Lead } from '../../shared/contract/leads.ts';
import type { Business } from './business.ts';
import { timeOf, wallClock, type Day } from './calendar.ts';
import type { Person } from './people.ts';

type Query = Record<string, string>;

/** Page size. The pages are small, so that lists have several pages. */
const limit = 4;

/** Data of the business as a person sees it, in terms of the story: names instead of ids, local times. */
export class PersonView {
  readonly #business: Business;
  readonly #person: Person;

  constructor(business: Business, person: Person) {
    this.#business = business;
    this.#person = person;
  }

  /** Answer to a caller at a local time, and whether somebody is on call. */
  async hoursAt(day: Day, time: string): Promise<string> {
    const at = new Date(timeOf(day, time)).toISOString();
    const { say, isOnCall } = await this.#person.api.call('getOrganizationHours', { query: { at } });
    return isOnCall ? `${say}, on call` : say;
  }

  /** Names of the leads of a list, in order. */
  async leads(query: Query = {}): Promise<string[]> {
    return (await this.#all<Lead>(listLeadsEndpoint, 'leads', query)).map(({ id }) => this.#nameOf(id));
  }

  /** Fields of each lead that have a value, by the lead's name. */
  async leadCards(): Promise<Record<string, unknown>> {
    const all = await this.#all<Lead>(listLeadsEndpoint, 'leads', {});
    return Object.fromEntries(all.map((lead) => [this.#nameOf(lead.id), this.#cardOf(lead)]));
  }

  #cardOf({
    id: _,
    firstName,
    lastName,
    createdAt,
    updatedAt,
    lastInquiryId,
    lastInquiryDate,
    address,
    ...more
  }: Lead) {
    expect(address).toEqual({ ...noAddress, suburb: more.suburb });
    const there = Object.entries(more).filter(
      ([, value]) => ![0, '', false].includes(value as 0) && JSON.stringify(value) !== '{}',
    );
    expect(lastInquiryDate === null).toBe(lastInquiryId === null);
    const last = lastInquiryId === null ? 'none' : this.#nameOf(lastInquiryId);
    return {
      name: `${firstName} ${lastName}`.trim(),
      came: wallClock(createdAt),
      changed: wallClock(updatedAt),
      last: lastInquiryDate === null ? last : `${last}, ${wallClock(lastInquiryDate)}`,
      ...Object.fromEntries(there),
    };
  }

  /** Activities of a lead, oldest first: `Mon 09:25 Status changed from pending to active`. */
  async activities(name: string): Promise<string[]> {
    const leadId = this.#business.names.idOf(name);
    const all = await this.#all<{
      event: string;
      data: string;
      referenceId: string;
      leadId: string;
      userId: string;
      createdAt: string;
    }>(listLeadActivitiesEndpoint, 'activities', {}, { leadId });
    return all.reverse().map((activity) => {
      const { createdAt, event, data, userId } = activity;
      expect(activity.leadId).toBe(leadId);
      expect(['system', this.#business.ownerId]).toContain(userId);
      // A delivery report, which comes with no token, can be the first to show that an SMS was sent.
      const by = userId === 'system' && event !== 'SMS_SENT' ? ' by the service' : '';
      const about = this.#nameOf(activity.referenceId);
      return `${wallClock(createdAt)} ${event}${by}: ${data}${about === name ? '' : ` (${about})`}`;
    });
  }

  /** Names of the inquiries of a list, in order. */
  async inquiries(query: Query = {}): Promise<string[]> {
    const all = await this.#all<InquiryListItem>(listInquiriesEndpoint, 'inquiries', query);
    return all.map(({ id }) => this.#nameOf(id));
  }

  /** One line per inquiry, newest first. */
  async inquiryLines(): Promise<string[]> {
    const all = await this.#all<InquiryListItem>(listInquiriesEndpoint, 'inquiries', { expand: 'both' });
    return all.map(
      ({ id, source, leadId, lead, externalInquiryId, isFirstInquiry, isRead, isFlagged, ...more }) => {
        const of = this.#nameOf(leadId);
        if (lead) expect(lead.id).toBe(leadId);
        const marks = [
          isFirstInquiry && 'first',
          isRead && 'read',
          isFlagged && 'flagged',
          lead === null && 'lead gone',
          externalInquiryId,
          more.tag && `#${more.tag}`,
          more.summary,
        ].filter(Boolean);
        return `${wallClock(more.createdAt)} ${source} ${this.#nameOf(id)} of ${of}: ${marks.join(', ')}`;
      },
    );
  }

  async inquiry(name: string) {
    const params = { inquiryId: this.#business.names.idOf(name) };
    return this.#person.api.call('getInquiry', { params });
  }

  /** Messages of a conversation by SMS, oldest first. */
  async texts(name: string): Promise<string[]> {
    const { data } = await this.inquiry(name);
    const { messages } = data as SmsData;
    return messages.map(
      ({ direction, status, createdAt, text }) => `${direction} ${status} ${wallClock(createdAt)}: ${text}`,
    );
  }

  pipeline() {
    return this.#person.api.call('getPipeline');
  }

  /** Id of a name in the story. */
  idOf(name: string): string {
    return this.#business.names.idOf(name);
  }

  #nameOf(id: string): string {
    return this.#business.names.of(id) ?? id;
  }

  /** Reads a whole list page by page, and checks the total of every page. */
  async #all<T>(endpoint: Endpoint, key: string, query: Query, params: Query = {}): Promise<T[]> {
    const all: T[] = [];
    for (let page = 1; ; page++) {
      const { body } = await this.#person.api.attempt(endpoint, { params, query: { ...query, page, limit } });
      const { [key]: items, ...envelope } = body as Record<string, unknown>;
      all.push(...(items as T[]));
      const { totalCount = 0 } = envelope as { totalCount?: number };
      const totalPages = Math.ceil(totalCount / limit);
      expect(envelope).toMatchObject({ totalPages, currentPage: page, totalCount });
      expect(all.length).toBe(Math.min(totalCount, page * limit));
      if (page >= totalPages) return all;
    }
  }
}
