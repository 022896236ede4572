import { noHours } from '../../contract/opening-hours.ts';
import { newOrganizationCode, type OrganizationCode } from '../../core/ids.ts';
import { CodeTaken, type Principal, type Store, type Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { addPipeline } from '../leads/pipeline-record.ts';
import { addMember, ownerIdOf, type NewMember } from '../members/members.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import { newSettings } from './new-settings.ts';
import { organizations } from '../settings/organization-record.ts';
import { addStartSet, emptySet, type StartSet } from './start-set.ts';

export interface NewOrganization {
  name: string;
  /** ISO 3166 code, two letters. */
  country: string;
  owner: Omit<NewMember, 'role'>;
  /** Time zone of the days that are counted; the country's usual time zone if not given. */
  timeZone?: string | undefined;
  /** Hours and records that the organization begins with; the default categories alone if not given. */
  startSet?: StartSet | undefined;
}

export interface FoundedOrganization {
  code: OrganizationCode;
  ownerId: string;
}

/**
 * Founds an organization with its owner, its first records and a first token, which acts for the owner. One
 * transaction. `random` returns numbers in [0, 1), for the organization's code; a code that is taken is
 * drawn again.
 */
export async function createOrganization(
  store: Store,
  limits: Pick<Principal, 'deadline' | 'capacity'>,
  { token, ...input }: NewOrganization & { token: Omit<NewTokenInput, 'userId'> },
  { random, randomBytes }: { random: () => number; randomBytes: RandomBytes },
): Promise<FoundedOrganization & IssuedToken> {
  const { issued, ...founded } = await foundOrganization(store, limits, input, random, (write, userId) => ({
    issued: addToken(write, { ...token, userId, role: 'OWNER' }, randomBytes),
  }));
  return { ...founded, ...issued };
}

/** `createOrganization` with `more` in the transaction instead of a token, so nobody has access yet. */
export async function foundOrganization<T extends object>(
  store: Store,
  limits: Pick<Principal, 'deadline' | 'capacity'>,
  input: NewOrganization,
  random: () => number,
  more: (write: Write, ownerId: string) => T,
): Promise<FoundedOrganization & T> {
  const { name, country, owner, timeZone, startSet = emptySet } = input;
  const code = newOrganizationCode(random);
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  try {
    const added = await ledger.found(country, (write) => {
      const id = `org_${code}`;
      write.append(organizations, () => ({
        id,
        name,
        ...newSettings(country),
        openingHours: { ...noHours, ...startSet.openingHours },
        numbers: [],
        createdAt: write.now,
      }));
      addMember(write, { ...owner, role: 'OWNER' });
      addPipeline(write, timeZone);
      addStartSet(write, startSet);
      recordEvent(write, { event: 'ORGANIZATION_CREATED', about: id });
      return more(write, ownerId);
    });
    return { code, ownerId, ...added };
  } catch (error) {
    if (!(error instanceof CodeTaken)) throw error;
    return foundOrganization(store, limits, input, random, more);
  }
}
