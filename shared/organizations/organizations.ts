import * as v from 'valibot';
import { addCategory, defaultCategories } from '../categories/categories.ts';
import type { Caller } from '../ledger/caller.ts';
import type { Collection, RecordOf } from '../ledger/collection.ts';
import { newOrganizationCode, type OrganizationCode } from '../ledger/ids.ts';
import { CodeTaken, type Ledger } from '../ledger/ledger.ts';
import type { Store } from '../ledger/store.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { addMember, ownerIdOf } from './members.ts';

/** What an organization says of itself: one record, number 1. Its country is in the head, where writes need it. */
export const organizations = {
  name: 'ORGANIZATION',
  label: 'organization',
  schema: v.object({ id: v.string(), name: v.string(), createdAt: v.string() }),
} as const satisfies Collection;

export type Organization = RecordOf<typeof organizations>;

export interface NewOrganization {
  name: string;
  /** ISO 3166 code, two letters. */
  country: string;
  owner: { firstName: string; lastName: string; email: string };
  /** Its first token, which acts for the owner. */
  token: Omit<NewTokenInput, 'userId'>;
}

/** With its first token. */
export interface FoundedOrganization extends IssuedToken {
  code: OrganizationCode;
  ownerId: string;
}

/** What the organization says of itself, or undefined where there is no such organization. One round trip. */
export const findOrganization = (ledger: Ledger): Promise<Organization | undefined> =>
  ledger.look(ledger.place(organizations, 1));

/**
 * Founds an organization with its owner, its default categories and a first token. One transaction.
 * `random` gives numbers in [0, 1); a code that is taken already is drawn again.
 */
export async function createOrganization(
  store: Store,
  limits: Pick<Caller, 'deadline' | 'meter'>,
  input: NewOrganization,
  { random, randomBytes }: { random: () => number; randomBytes: RandomBytes },
): Promise<FoundedOrganization> {
  const code = newOrganizationCode(random);
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  const { name, country, owner } = input;
  try {
    const issued = await ledger.found(country, (write) => {
      const id = `org_${code}`;
      write.append(organizations, () => ({ id, name, createdAt: write.now }));
      addMember(write, { ...owner, role: 'OWNER' });
      for (const category of defaultCategories) addCategory(write, category);
      write.event({ event: 'ORGANIZATION_CREATED', data: 'The organization was created', referenceId: id });
      return addToken(write, { ...input.token, userId: ownerId }, randomBytes);
    });
    return { code, ownerId, ...issued };
  } catch (error) {
    if (error instanceof CodeTaken) return createOrganization(store, limits, input, { random, randomBytes });
    throw error;
  }
}
