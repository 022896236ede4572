import type { OrganizationCode } from '../../core/ids.ts';
import { tooManyToday } from '../../core/failure.ts';
import { dayCountKey, nameOfKey } from './keys.ts';
import type { Step } from './unique-values.ts';

/** One thing that is counted by the day, and how often it may be. */
export interface DayCount {
  /** Name of what is counted, such as `FORM`. */
  kind: string;
  /** Owner of the count: an id, or a hash. No name of a person: it is in a key. */
  name: string;
  max: number;
}

const secondsOfDay = 86_400;

/** Counts of a day (UTC) that one write raises: an item each, which vanishes by itself after that day. */
export class DayCounts {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  readonly #now: string;
  /** By item: DynamoDB takes one operation per item. */
  readonly #steps = new Map<string, Step>();

  constructor(tableName: string, organization: OrganizationCode, now: string) {
    this.#tableName = tableName;
    this.#organization = organization;
    this.#now = now;
  }

  raise({ kind, name, max }: DayCount): void {
    const day = this.#now.slice(0, 10);
    const Key = dayCountKey(this.#organization, { kind, name, day });
    const operation = {
      Update: {
        TableName: this.#tableName,
        Key,
        UpdateExpression: 'SET expiresAtSecond = :expiry ADD times :one',
        ConditionExpression: 'attribute_not_exists(times) OR times < :max',
        ExpressionAttributeValues: {
          ':one': 1,
          ':max': max,
          ':expiry': Date.parse(day) / 1000 + 2 * secondsOfDay,
        },
      },
    };
    this.#steps.set(nameOfKey(Key), { operation, refusal: () => tooManyToday(this.#now) });
  }

  steps(): Step[] {
    return [...this.#steps.values()];
  }
}
