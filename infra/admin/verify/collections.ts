import { categories } from '../../../shared/categories/categories.ts';
import { companies, notes } from '../../../shared/companies/companies.ts';
import { faqs } from '../../../shared/faqs/faqs.ts';
import { inquiries } from '../../../shared/inquiries/inquiry-record.ts';
import { calls, chats, emails, forms } from '../../../shared/inquiries/sources.ts';
import { leads } from '../../../shared/leads/lead-record.ts';
import { events, type Collection } from '../../../shared/ledger/collection.ts';
import { numberOf, recordId, type OrganizationCode } from '../../../shared/ledger/ids.ts';
import { invitations, members } from '../../../shared/organizations/members.ts';
import { organizations } from '../../../shared/organizations/organizations.ts';
import { policies } from '../../../shared/policies/policies.ts';
import { products } from '../../../shared/products/products.ts';
import { scenarios } from '../../../shared/scenarios/scenarios.ts';
import { services } from '../../../shared/services/services.ts';
import { messages, threads } from '../../../shared/sms/threads.ts';
import { tokens } from '../../../shared/tokens/tokens.ts';
import { transfers } from '../../../shared/transfers/transfers.ts';

/**
 * Every collection of the project. While an organization is written to, the order saves reads: a record is read before
 * what it names, and the events come last, so that little of what it needs is still to come.
 */
export const collections: readonly Collection[] = [
  organizations,
  inquiries,
  messages,
  notes,
  threads,
  calls,
  emails,
  chats,
  forms,
  leads,
  companies,
  transfers,
  services,
  scenarios,
  products,
  categories,
  policies,
  faqs,
  tokens,
  invitations,
  members,
  events,
];

const byName = new Map(collections.map((collection) => [collection.name, collection]));

/** The collection of this name, or undefined where this version of the code has none. */
export const collectionNamed = (name: string): Collection | undefined => byName.get(name);

/** The id that the record of this number must have. */
export function idOf(
  { name, prefix }: Collection,
  organization: OrganizationCode,
  number: number,
): string | number {
  if (name === organizations.name) return `org_${organization}`;
  return prefix === undefined ? number : recordId(prefix, organization, number);
}

/** The number of the record with this id, or undefined where no record of the collection can have it. */
export function numberOfId(
  { prefix }: Collection,
  organization: OrganizationCode,
  id: unknown,
): number | undefined {
  if (prefix === undefined)
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
  return typeof id === 'string' ? numberOf(prefix, organization, id) : undefined;
}
