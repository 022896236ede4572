import { categories } from '../../../shared/domain/categories/categories.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import { faqs } from '../../../shared/domain/faqs/faqs.ts';
import { inquiries } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { calls, chats, emails, forms } from '../../../shared/domain/inquiries/sources.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { numberOf, recordId, type OrganizationCode } from '../../../shared/core/ids.ts';
import { invitations, members } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { policies } from '../../../shared/domain/policies/policies.ts';
import { products } from '../../../shared/domain/products/products.ts';
import { scenarios } from '../../../shared/domain/scenarios/scenarios.ts';
import { services } from '../../../shared/domain/services/services.ts';
import { messages, threads } from '../../../shared/domain/threads/threads.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { transfers } from '../../../shared/domain/transfers/transfers.ts';

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
