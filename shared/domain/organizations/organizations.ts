import * as v from 'valibot';
import { addCategory, defaultCategories } from '../categories/categories.ts';
import { invalid } from '../../core/failure.ts';
import { newOrganizationCode, type OrganizationCode } from '../../core/ids.ts';
import { timeZoneNamed } from '../../core/time-zones.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { addMember, ownerIdOf, userRef, type NewMember } from '../members/members.ts';
import {
  type Caller,
  CodeTaken,
  type Collection,
  type Ledger,
  type RecordOf,
  type Store,
  type Write,
} from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { addPipeline, moveToTimeZone, pipelineRead } from '../leads/pipeline-record.ts';

/** A phone number of an organization, in E.164, and its ARN at the SMS provider. */
export const PhoneNumber = v.object({ number: v.string(), arn: v.string() });
export type PhoneNumber = v.InferOutput<typeof PhoneNumber>;

/** The organization's own record, number 1. Its country is in the head, where writes need it. */
export const organizations = {
  name: 'ORGANIZATION',
  label: 'organization',
  schema: v.object({
    id: v.string(),
    name: v.string(),
    /** Phone numbers that get and send its SMS. The first one sends, unless a thread has another. */
    numbers: v.array(PhoneNumber),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type Organization = RecordOf<typeof organizations>;

export interface NewOrganization {
  name: string;
  /** ISO 3166 code, two letters. */
  country: string;
  owner: Omit<NewMember, 'role'>;
  /** Time zone in which days are counted; the country's usual one if not given. */
  timeZone?: string | undefined;
}

export interface FoundedOrganization {
  code: OrganizationCode;
  ownerId: string;
}

export const findOrganization = (ledger: Ledger): Promise<Organization | undefined> =>
  ledger.getOrUndefined(ledger.ref(organizations, 1));

/**
 * Counts the days from now on in another time zone; counts of earlier days stay. One transaction, or none if
 * nothing changes. Returns the canonical name of the time zone.
 * @throws Failure `invalid` for an unknown time zone; `notFound` for the organization
 */
export async function setTimeZone(ledger: Ledger, given: string): Promise<string> {
  const timeZone = timeZoneNamed(given);
  if (timeZone === undefined)
    throw invalid([{ field: 'timeZone', message: 'must be a time zone such as Australia/Sydney' }]);
  const reading = {
    change: { pipeline: pipelineRead },
    check: { organization: ledger.ref(organizations, 1) },
  };
  await ledger.write(reading, (write, { organization }) => {
    const from = moveToTimeZone(write, timeZone);
    if (from !== undefined)
      recordEvent(write, {
        event: 'TIME_ZONE_CHANGED',
        about: organization.id,
        values: { from, to: timeZone },
      });
  });
  return timeZone;
}

/**
 * Founds an organization with its owner, the default categories and a first token, which acts for the owner.
 * One transaction. `random` returns numbers in [0, 1), for the organization's code; a code that is taken is
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

/**
 * Completes an organization whose records were copied from another: records the event, and issues a first
 * token, which acts for the owner. One transaction. @throws Failure `notFound` without an owner
 */
export async function beginFromCopy(
  ledger: Ledger,
  code: OrganizationCode,
  token: Omit<NewTokenInput, 'userId'>,
  randomBytes: RandomBytes,
): Promise<IssuedToken> {
  const userId = ownerIdOf(code);
  return ledger.write({ check: { owner: userRef(ledger, userId) } }, (write) => {
    recordEvent(write, { event: 'ORGANIZATION_IMPORTED', about: `org_${code}` });
    return addToken(write, { ...token, userId }, randomBytes);
  });
}

/** `createOrganization` with `more` in the transaction instead of a token, so nobody has access yet. */
export async function foundOrganization<T extends object>(
  store: Store,
  limits: Pick<Caller, 'deadline' | 'capacity'>,
  { name, country, owner, timeZone }: NewOrganization,
  random: () => number,
  more: (write: Write, ownerId: string) => T,
): Promise<FoundedOrganization & T> {
  const code = newOrganizationCode(random);
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  try {
    const added = await ledger.found(country, (write) => {
      const id = `org_${code}`;
      write.append(organizations, () => ({ id, name, numbers: [], createdAt: write.now }));
      addMember(write, { ...owner, role: 'OWNER' });
      addPipeline(write, timeZone);
      for (const category of defaultCategories) addCategory(write, category);
      recordEvent(write, { event: 'ORGANIZATION_CREATED', about: id });
      return more(write, ownerId);
    });
    return { code, ownerId, ...added };
  } catch (error) {
    if (!(error instanceof CodeTaken)) throw error;
    return foundOrganization(store, limits, { name, country, owner, timeZone }, random, more);
  }
}
