import { isDeepStrictEqual } from 'node:util';
import type { OpenState } from '../../contract/opening-hours.ts';
import type { Organization, OrganizationChanges } from '../../contract/organization-settings.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { invalid, notFound, unavailable } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import { addToken, type IssuedToken, type NewTokenInput } from '../tokens/tokens.ts';
import type { RandomBytes } from '../tokens/token.ts';
import { isActiveOwner, members } from '../members/members.ts';
import type { Ledger } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { moveToTimeZone, timeZoneRef } from '../leads/pipeline-record.ts';
import { changedToE164 } from '../phone/phone-number.ts';
import { organizationRef, type OrganizationRecord } from '../settings/organization-record.ts';
import { openStateAt } from './opening-hours.ts';

export const findOrganization = (ledger: Ledger): Promise<OrganizationRecord | undefined> =>
  ledger.getOrUndefined(organizationRef);

/** The organization, as the API shows it. One round trip. @throws Failure `notFound` */
export async function getOrganization(ledger: Ledger): Promise<Organization> {
  const [[record, { timeZone }], country] = await Promise.all([
    ledger.getBoth(organizationRef, timeZoneRef),
    ledger.country(),
  ]);
  return toOrganization(record, { timeZone, country });
}

/**
 * State of the organization's hours at a time, in epoch milliseconds. One round trip. @throws Failure `notFound`
 */
export async function getOrganizationHours(ledger: Ledger, at: number): Promise<OpenState> {
  const [record, { timeZone }] = await ledger.getBoth(organizationRef, timeZoneRef);
  return openStateAt({ ...record, timeZone }, at);
}

/**
 * Changes the organization. Days are counted in a new time zone from now on; counts of earlier days stay. One
 * transaction, or none if nothing changes.
 * @throws Failure `notFound`; `invalid` for the phone number, and for another country; as `refuseOutdated` does
 */
export function updateOrganization(
  ledger: Ledger,
  { timeZone, country, businessPhone, ...changes }: OrganizationChanges,
  { refuseOutdated }: ChangeConditions<Organization> = {},
): Promise<Organization> {
  // Checked rather than read to change: plain reads could show half of another writer's change, a state that never was.
  const check = { record: organizationRef, zone: { ref: timeZoneRef, orElse: unavailable } };
  return ledger.write({ check }, async (write, { record, zone }) => {
    const of = { timeZone: zone.timeZone, country: write.country };
    refuseOutdated?.(toOrganization(record, of));
    if (country !== undefined && country !== write.country)
      throw invalid([{ field: 'country', message: `is ${write.country} for good, and cannot be changed` }]);
    const number = await changedToE164(businessPhone, record.businessPhone, write.country, 'businessPhone');
    const after = merge(record, { ...changes, businessPhone: number });
    const { timeZone: from } = zone;
    const to = timeZone ?? from;
    const [isChanged, moves] = [!isDeepStrictEqual(after, record), to !== from];
    await Promise.all([
      (isChanged || moves) && write.read(organizationRef),
      moves && write.read(timeZoneRef),
    ]);
    // The API shows the time zone with the organization, so the organization is stored if either changes.
    if (isChanged || moves) write.replace(organizationRef, after);
    if (isChanged) {
      const fields = changedFields(toOrganization(record, of), toOrganization(after, of));
      recordEvent(write, { event: 'ORGANIZATION_UPDATED', about: record.id, fields });
    }
    if (moves) {
      moveToTimeZone(write, to);
      recordEvent(write, { event: 'TIME_ZONE_CHANGED', about: record.id, values: { from, to } });
    }
    return toOrganization(after, { ...of, timeZone: to });
  });
}

const toOrganization = (
  { numbers, createdAt, ...shown }: OrganizationRecord,
  of: Pick<Organization, 'country' | 'timeZone'>,
): Organization => ({ ...shown, ...of });

/**
 * Begins another epoch of the organization's events, after its data was replaced. One transaction. Returns the epochs
 * before and after.
 */
export const beginEpoch = (
  ledger: Ledger,
  code: OrganizationCode,
): Promise<{ before: string; after: string }> =>
  ledger.write({}, (write) => {
    recordEvent(write, { event: 'EPOCH_BEGUN', about: `org_${code}` });
    return write.beginEpoch();
  });

/**
 * Completes an organization with records copied from another organization: records the event, and issues a first token,
 * which acts for the first owner who is not disabled. One transaction. @throws Failure `notFound` without such an owner
 */
export async function beginFromCopy(
  ledger: Ledger,
  code: OrganizationCode,
  token: Omit<NewTokenInput, 'userId'>,
  randomBytes: RandomBytes,
): Promise<IssuedToken> {
  return ledger.write({}, async (write) => {
    const owner = (await write.checkAll(members)).find(isActiveOwner);
    if (!owner) throw notFound(members.label);
    const { userId, role } = owner;
    recordEvent(write, { event: 'ORGANIZATION_IMPORTED', about: `org_${code}` });
    return addToken(write, { ...token, userId, role }, randomBytes);
  });
}
