import type { OrganizationCode } from '../../core/ids.ts';

/**
 * Condition of a write. DynamoDB cancels the whole transaction if one of its conditions fails. Each condition
 * applies to an item that the transaction writes anyway, so it adds no cost.
 */
export interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

const itemDoesNotExist = 'attribute_not_exists(pk)';

/** Returns the stored head on failure, which saves the loser of a race a read. */
export const headDoesNotExist: Condition = {
  ConditionExpression: itemDoesNotExist,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
};

/** Returns the stored head on failure, which saves the loser of a race a read. */
export const headVersionUnchanged = (version: number): Condition => ({
  ConditionExpression: 'version = :seen',
  ExpressionAttributeValues: { ':seen': version },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** Holds for a counter of queue numbers that is not above `max`. Returns the counter on failure. */
export const numbersTakenAtMost = (max: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(taken) OR taken <= :max',
  ExpressionAttributeValues: { ':max': max },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

export const recordDoesNotExist: Condition = { ConditionExpression: itemDoesNotExist };

/** Holds for a record, a former item, or a day with bookings, that no write has changed since it was read. */
export const revisionUnchanged = (revision: number): Condition => ({
  ConditionExpression: 'revision = :revision',
  ExpressionAttributeValues: { ':revision': revision },
});

/** Returns the stored claim on failure: the 409 names the record that holds the value. */
export const valueIsUnclaimed: Condition = {
  ConditionExpression: itemDoesNotExist,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
};

/** `holder`: public id of the record that gives the value up. */
export const valueIsHeldBy = (holder: string | number): Condition => ({
  ConditionExpression: 'id = :holder',
  ExpressionAttributeValues: { ':holder': holder },
});

export const grantDoesNotExist: Condition = { ConditionExpression: itemDoesNotExist };

/** Fails for a deleted grant too, so that a revoked token stays revoked. */
export const grantBelongsTo = (organization: OrganizationCode): Condition => ({
  ConditionExpression: 'organization = :organization',
  ExpressionAttributeValues: { ':organization': organization },
});

/** Fails for a deleted grant, and for a grant whose use on this day or later is noted. */
export const grantIsUnusedOn = (day: string): Condition => ({
  ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(lastUsedOn) OR lastUsedOn < :day)',
  ExpressionAttributeValues: { ':day': day },
});

/** Fails if another organization has the phone number. */
export const phoneNumberIsFreeOrOwnedBy = (organization: OrganizationCode): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR organization = :organization',
  ExpressionAttributeValues: { ':organization': organization },
});

export const dayCountIsBelow = (max: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(times) OR times < :max',
  ExpressionAttributeValues: { ':max': max },
});

/** Holds if the request is not kept, or has expired. DynamoDB deletes an expired item some time later. */
export const requestIsNotKept = (second: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAtSecond <= :second',
  ExpressionAttributeValues: { ':second': second },
});

/**
 * Holds for a cursor that no run has written since it was read. `writes`: number of writes by runs when it was read.
 */
export const cursorIsAsRead = (writes: number): Condition => ({
  ConditionExpression: writes === 0 ? 'attribute_not_exists(#writes)' : '#writes = :seen',
  ExpressionAttributeNames: { '#writes': 'writes' },
  ...(writes > 0 && { ExpressionAttributeValues: { ':seen': writes } }),
});

/**
 * Holds for a cursor that no run has written since it was read. Also holds for a cursor that this write has changed
 * already: a write with a lost reply is sent again. Fails for a call that arrives after a later write.
 */
export function cursorIsAsReadOrWritten(seen: number, leaseId: string): Condition {
  const { ConditionExpression, ExpressionAttributeValues } = cursorIsAsRead(seen);
  return {
    ConditionExpression: `${ConditionExpression} OR (#writes = :written AND #leaseId = :own)`,
    ExpressionAttributeNames: { '#writes': 'writes', '#leaseId': 'leaseId' },
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':written': seen + 1, ':own': leaseId },
  };
}

/** Holds for a prepared text that nobody has stored since it was read. `seen` is undefined if there was no text. */
export const preparedUnchanged = (seen: string | undefined): Condition => ({
  ConditionExpression: seen === undefined ? 'attribute_not_exists(pk)' : 'madeFrom = :seen',
  ...(seen !== undefined && { ExpressionAttributeValues: { ':seen': seen } }),
});

/** Holds if the delivery does not exist. Also holds if the same event caused it, and this attempt is not stored yet. */
export const deliveryLacksAttempt = (cause: number, at: string): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR (#cause = :cause AND #triedAt < :triedAt)',
  ExpressionAttributeNames: { '#cause': 'cause', '#triedAt': 'triedAt' },
  ExpressionAttributeValues: { ':cause': cause, ':triedAt': at },
});

/** Holds for answers about a lead unless an erasure has removed them. Also holds if there are no answers yet. */
export const answersAreKept: Condition = { ConditionExpression: 'attribute_not_exists(isRemoved)' };

export const listStateDoesNotExist: Condition = {
  ConditionExpression: 'attribute_not_exists(#state)',
  ExpressionAttributeNames: { '#state': 'state' },
};

export const listStateUnchanged = (state: string): Condition => ({
  ConditionExpression: '#state = :before',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':before': state },
});

/** Fails if an import of the same organization code is under way. */
export const importDoesNotExist: Condition = { ConditionExpression: itemDoesNotExist };

export const importExists: Condition = { ConditionExpression: 'attribute_exists(pk)' };

/** `holder`: id of the command that began or took over the import. */
export const importIsHeldBy = (holder: string): Condition => ({
  ConditionExpression: '#by = :by',
  ExpressionAttributeNames: { '#by': 'by' },
  ExpressionAttributeValues: { ':by': holder },
});
