import * as v from 'valibot';
import { addCategory, defaultCategories } from '../categories/categories.ts';
import { newOrganizationCode, type OrganizationCode } from '../../core/ids.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { addMember, ownerIdOf, type NewMember } from '../members/members.ts';
import {
  type Caller,
  CodeTaken,
  type Collection,
  type Ledger,
  type RecordOf,
  type Store,
  type Write,
} from '../../ledger/index.ts';
import { tell } from '../events/tell.ts';

/** The organization's own record, number 1. Its country is in the head, where writes need it. */
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

/** The organization's own record; undefined if there is no such organization. One round trip. */
export const findOrganization = (ledger: Ledger): Promise<Organization | undefined> =>
  ledger.getOrUndefined(ledger.ref(organizations, 1));

/**
 * Founds an organization with its owner, the default categories and a first token, which acts for the owner.
 * One transaction. `random` gives numbers in [0, 1), for the organization's code; a code that is taken is
 * drawn again.
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

/** As `createOrganization`, with `more` in the transaction instead of a token: nobody has access yet. */
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
      tell(write, { event: 'ORGANIZATION_CREATED', about: id });
      return more(write, ownerId);
    });
    return { code, ownerId, ...added };
  } catch (error) {
    if (!(error instanceof CodeTaken)) throw error;
    return foundOrganization(store, limits, { name, country, owner }, random, more);
  }
}
