import * as v from 'valibot';
import { conflict, tooManyToday } from '../../core/failure.ts';
import { OrganizationCode } from '../../core/ids.ts';
import { webhookWaits } from '../../core/waits.ts';
import type { Item } from './attributes.ts';
import {
  dayCountIsBelow,
  grantBelongsTo,
  grantDoesNotExist,
  phoneNumberIsFreeOrOwnedBy,
} from './conditions.ts';
import { secondAfterDays } from './expiry.ts';
import type { Grant } from './grant.ts';
import {
  cursorKey,
  cursorsWorker,
  dayCountKey,
  erasedKey,
  grantKey,
  phoneNumberKey,
  placeInDueIndex,
} from './keys.ts';
import type { WriteOperation, WriteTarget } from './table-client.ts';

export type NewGrant = Omit<Grant, 'organization' | 'lastUsedOn'>;

export const addGrant = (
  { tableName: TableName, organization }: WriteTarget,
  tokenHash: string,
  grant: NewGrant,
): WriteOperation => {
  const Item = { ...grant, organization, ...grantKey(tokenHash) };
  return { operation: { Put: { TableName, Item, ...grantDoesNotExist } } };
};

/** Replaces what a grant allows. The day of its last use stays, whenever the authorizer notes it. */
export function replaceGrant(
  { tableName: TableName, organization }: WriteTarget,
  tokenHash: string,
  grant: NewGrant,
): WriteOperation {
  const entries = Object.entries(grant);
  const condition = grantBelongsTo(organization);
  return {
    operation: {
      Update: {
        TableName,
        Key: grantKey(tokenHash),
        UpdateExpression:
          `SET ${entries.map(([name]) => `${name} = :${name}`).join(', ')}` +
          (grant.formerSecret ? '' : ' REMOVE formerSecret'),
        ...condition,
        ExpressionAttributeValues: {
          ...Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
          ...condition.ExpressionAttributeValues,
        },
      },
    },
  };
}

// No condition: revoking a token must never fail.
export const revokeGrant = ({ tableName: TableName }: WriteTarget, tokenHash: string): WriteOperation => ({
  operation: { Delete: { TableName, Key: grantKey(tokenHash) } },
});

/** The item of a phone number. The key has no organization, because an incoming SMS names the number alone. */
export const PhoneNumberOwner = v.object({ organization: OrganizationCode });

/** The organization that has a phone number, from the number's item. */
export const organizationOwning = (item: Item): OrganizationCode =>
  v.parse(PhoneNumberOwner, item).organization;

export const claimPhoneNumber = (
  { tableName: TableName, organization }: WriteTarget,
  phone: string,
): WriteOperation => ({
  operation: {
    Put: {
      TableName,
      Item: { ...phoneNumberKey(phone), organization },
      ...phoneNumberIsFreeOrOwnedBy(organization),
    },
  },
  // The failure names no organization: who has the number is private.
  refusal: () => conflict('organization', 'number'),
});

export const releasePhoneNumber = (
  { tableName: TableName, organization }: WriteTarget,
  phone: string,
): WriteOperation => ({
  operation: {
    Delete: { TableName, Key: phoneNumberKey(phone), ...phoneNumberIsFreeOrOwnedBy(organization) },
  },
});

/** Makes the cursor of a webhook due in a minute, and adds it if there is none. */
export function addCursor(
  { tableName: TableName, organization }: WriteTarget,
  webhook: number,
  now: string,
): WriteOperation {
  const at = new Date(Date.parse(now) + webhookWaits.sweep).toISOString();
  const place = Object.entries(placeInDueIndex(organization, { worker: cursorsWorker, at }));
  return {
    operation: {
      Update: {
        TableName,
        Key: cursorKey(organization, webhook),
        UpdateExpression: `SET ${place.map(([name]) => `${name} = :${name}`).join(', ')}`,
        ExpressionAttributeValues: Object.fromEntries(place.map(([name, value]) => [`:${name}`, value])),
      },
    },
  };
}

/** A daily count, and its maximum. */
export interface DayCount {
  /** Kind of thing that is counted, such as `FORM`. */
  kind: string;
  /** The count's owner: an id or a hash. Never a person's name, because a key has it. */
  name: string;
  max: number;
}

/** Raises a daily count (UTC) by one. DynamoDB deletes its item after that day. */
export function raiseDayCount(
  { tableName: TableName, organization }: WriteTarget,
  { kind, name, max }: DayCount,
  now: string,
): WriteOperation {
  const day = now.slice(0, 10);
  const condition = dayCountIsBelow(max);
  return {
    operation: {
      Update: {
        TableName,
        Key: dayCountKey(organization, { kind, name, day }),
        UpdateExpression: 'SET expiresAtSecond = :expiry ADD times :one',
        ...condition,
        ExpressionAttributeValues: {
          ':one': 1,
          ':expiry': secondAfterDays(Date.parse(day), 2),
          ...condition.ExpressionAttributeValues,
        },
      },
    },
    refusal: () => tooManyToday(now),
  };
}

/**
 * Number of days that an erasure is noted. A message that came in before the erasure waits at most 14 days in its queue
 * and among the dead letters. Another 14 days are possible if somebody redrives the message and it fails again.
 */
const erasedDays = 30;

/** Notes that a person was erased at a time. No condition: a later erasure replaces the note. */
export function noteErased(
  { tableName: TableName, organization }: WriteTarget,
  hash: string,
  at: string,
): WriteOperation {
  const expiresAtSecond = secondAfterDays(Date.parse(at), erasedDays);
  const Item = { ...erasedKey(organization, hash), at, expiresAtSecond };
  return { operation: { Put: { TableName, Item } } };
}

const Erased = v.object({ at: v.string() });

/** Time of the erasure that an item notes. */
export const erasedAt = (item: Item): string => v.parse(Erased, item).at;
