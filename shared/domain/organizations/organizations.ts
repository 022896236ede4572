import * as v from 'valibot';
import { addCategory, defaultCategories } from '../categories/categories.ts';
import type { Caller } from '../../ledger/internal/caller.ts';
import type { Collection, RecordOf } from '../../ledger/internal/collection.ts';
import { newOrganizationCode, type OrganizationCode } from '../../core/ids.ts';
import { CodeTaken, type Ledger } from '../../ledger/internal/ledger.ts';
import type { Store } from '../../ledger/internal/store.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { addMember, ownerIdOf, type NewMember } from '../members/members.ts';

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
  owner: Omit<NewMember, 'role'>;
}

export interface FoundedOrganization {
  code: OrganizationCode;
  ownerId: string;
}

/** What the organization says of itself, or undefined where there is no such organization. One round trip. */
export const findOrganization = (ledger: Ledger): Promise<Organization | undefined> =>
  ledger.getOrUndefined(ledger.ref(organizations, 1));

/**
 * Founds an organization with its owner, its default categories and a first token, which acts for the owner. One
 * transaction. `random` gives numbers in [0, 1); a code that is taken already is drawn again.
 */
export async function createOrganization(
  store: Store,
  limits: Pick<Caller, 'deadline' | 'capacity'>,
  { token, ...input }: NewOrganization & { token: Omit<NewTokenInput, 'userId'> },
  { random, randomBytes }: { random: () => number; randomBytes: RandomBytes },
): Promise<FoundedOrganization & IssuedToken> {
  const { issued, ...founded } = await foundOrganization(store, limits, input, random, (write, userId) => ({
    issued: addToken(write, { ...token, userId }, randomBytes),
  }));
  return { ...founded, ...issued };
}

/** As above, with what `more` adds to the transaction in place of the token: nobody can use it before it has one. */
export async function foundOrganization<T extends object>(
  store: Store,
  limits: Pick<Caller, 'deadline' | 'capacity'>,
  { name, country, owner }: NewOrganization,
  random: () => number,
  more: (write: Write, ownerId: string) => T,
): Promise<FoundedOrganization & T> {
  const code = newOrganizationCode(random);
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  try {
    const added = await ledger.found(country, (write) => {
      const id = `org_${code}`;
      write.append(organizations, () => ({ id, name, createdAt: write.now }));
      addMember(write, { ...owner, role: 'OWNER' });
      for (const category of defaultCategories) addCategory(write, category);
      write.event({ event: 'ORGANIZATION_CREATED', data: 'The organization was created', referenceId: id });
      return more(write, ownerId);
    });
    return { code, ownerId, ...added };
  } catch (error) {
    if (!(error instanceof CodeTaken)) throw error;
    return foundOrganization(store, limits, { name, country, owner }, random, more);
  }
}
