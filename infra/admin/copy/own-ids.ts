import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { appointments, attendances } from '../../../shared/domain/appointments/appointment-record.ts';
import { inquiries } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { calls, chats, emails, forms } from '../../../shared/domain/inquiries/sources.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { messages, threads } from '../../../shared/domain/threads/threads.ts';
import { webhooks } from '../../../shared/domain/webhooks/webhooks.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';

/**
 * Fields with ids that contain the organization's code, by collection. Only these get another code: text that
 * a person wrote stays, even if it looks like an id. A test compares a filled organization with its copy, id
 * by id.
 */
export const idFields: Readonly<Record<string, readonly string[]>> = {
  [organizations.name]: ['id'],
  [members.name]: ['userId'],
  [leads.name]: ['id', 'lastInquiryId'],
  [inquiries.name]: ['id', 'leadId', 'sourceId'],
  [calls.name]: ['id'],
  [emails.name]: ['id'],
  [chats.name]: ['id'],
  [forms.name]: ['id'],
  [threads.name]: ['leadId', 'inquiryId'],
  [messages.name]: ['userId', 'inquiryId'],
  [companies.name]: ['id'],
  [notes.name]: ['companyId', 'userId'],
  [webhooks.name]: ['userId'],
  [appointments.name]: ['id', 'leadId', 'attendees'],
  [attendances.name]: ['appointmentId', 'userId'],
  [events.name]: ['referenceId', 'userId'],
};

/** Replaces the organization's code in the ids of a record. */
export function withOwnIds(
  collection: string,
  record: Item,
  { from, to }: { from: OrganizationCode; to: OrganizationCode },
): Item {
  const owned: Item = { ...record };
  for (const field of idFields[collection] ?? []) {
    const id = record[field];
    if (typeof id === 'string') owned[field] = withCode(id, from, to);
    if (Array.isArray(id)) owned[field] = id.map((one) => withCode(String(one), from, to));
  }
  return owned;
}

/** An id has a prefix, the organization's code and a number; an organization's id has no number. */
function withCode(id: string, from: OrganizationCode, to: OrganizationCode): string {
  const [, prefix, code, number] = /^([a-z]+_)([0-9A-Z]{8})([0-9A-Z]{8})?$/.exec(id) ?? [];
  return prefix === undefined || code !== from ? id : `${prefix}${to}${number ?? ''}`;
}
