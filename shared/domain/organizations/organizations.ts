import * as v from 'valibot';
import { invalid } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { timeZoneNamed } from '../../core/time-zones.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { ownerIdOf, userRef } from '../members/members.ts';
import type { Collection, Ledger, RecordOf } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { moveToTimeZone, pipelineRead } from '../leads/pipeline-record.ts';

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
