import { randomUUID } from 'node:crypto';
import type { Member } from '../../shared/contract/organization.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import type { StoredOrganization } from './stored-organization.ts';

/** Gives the date of a weekday in the third week from now. Sunday is 0. */
export const inThirdWeek = (weekday: number): string =>
  [14, 15, 16, 17, 18, 19, 20]
    .map((days) => new Date(Date.now() + days * 86_400_000))
    .find((date) => date.getUTCDay() === weekday)!
    .toISOString()
    .slice(0, 10);

/** Adds a member with an email address of their own. */
export const join = (
  { openLedger }: Pick<StoredOrganization, 'openLedger'>,
  firstName: string,
): Promise<Member> =>
  createMember(openLedger().ledger, { firstName, lastName: 'Tran', email: `${randomUUID()}@example.com` });
