import type { OrganizationCode } from '../../core/ids.ts';
import { tooManyToday } from '../../core/failure.ts';
import { dayCountIsBelow } from './conditions.ts';
import { dayCountKey, nameOfKey } from './keys.ts';
import type { WriteOperation } from './table-client.ts';

/** A daily count, and its maximum. */
export interface DayCount {
  /** Kind of thing that is counted, such as `FORM`. */
  kind: string;
  /** The count's owner: an id or a hash. Never a person's name, since it is in a key. */
  name: string;
  max: number;
}

const secondsOfDay = 86_400;

/** Daily counts (UTC) that one write raises. Each is an item that DynamoDB deletes after that day. */
export class DayCounts {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  readonly #now: string;
  /** Operations by `nameOfKey`: DynamoDB takes one operation per item. */
  readonly #operations = new Map<string, WriteOperation>();

  constructor(tableName: string, organization: OrganizationCode, now: string) {
    this.#tableName = tableName;
    this.#organization = organization;
    this.#now = now;
  }

  raise({ kind, name, max }: DayCount): void {
    const day = this.#now.slice(0, 10);
    const Key = dayCountKey(this.#organization, { kind, name, day });
    const { ConditionExpression, ExpressionAttributeValues } = dayCountIsBelow(max);
    const operation = {
      Update: {
        TableName: this.#tableName,
        Key,
        UpdateExpression: 'SET expiresAtSecond = :expiry ADD times :one',
        ConditionExpression,
        ExpressionAttributeValues: {
          ':one': 1,
          ...ExpressionAttributeValues,
          ':expiry': Date.parse(day) / 1000 + 2 * secondsOfDay,
        },
      },
    };
    this.#operations.set(nameOfKey(Key), { operation, refusal: () => tooManyToday(this.#now) });
  }

  operations(): WriteOperation[] {
    return [...this.#operations.values()];
  }
}
