import * as v from 'valibot';
import { conflict } from '../../core/failure.ts';
import { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { phoneNumberKey } from './keys.ts';
import type { TransactItem } from './table-client.ts';
import type { Step } from './unique-values.ts';

/** Whose a phone number is. Its key is the number alone, since a text that comes in names nothing else. */
export const PhoneNumberOwner = v.object({ organization: OrganizationCode });

/** The organization that has a number, from the number's item. */
export const organizationOwning = (item: Item): OrganizationCode =>
  v.parse(PhoneNumberOwner, item).organization;

/** What one write does to the phone numbers of an organization. */
export class PhoneNumberClaims {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  /** By number: DynamoDB takes one operation per item. */
  readonly #steps = new Map<string, Step>();

  constructor(tableName: string, organization: OrganizationCode) {
    this.#tableName = tableName;
    this.#organization = organization;
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  claim(phone: string): void {
    const Item = { ...phoneNumberKey(phone), organization: this.#organization };
    this.#note(phone, { Put: { TableName: this.#tableName, Item, ...this.#condition } }, numberTaken);
  }

  release(phone: string): void {
    this.#note(phone, {
      Delete: { TableName: this.#tableName, Key: phoneNumberKey(phone), ...this.#condition },
    });
  }

  steps(): Step[] {
    return [...this.#steps.values()];
  }

  /** No write reaches the number of another organization. */
  get #condition() {
    return {
      ConditionExpression: 'attribute_not_exists(pk) OR organization = :organization',
      ExpressionAttributeValues: { ':organization': this.#organization },
    };
  }

  #note(phone: string, operation: TransactItem, refusal?: Step['refusal']): void {
    this.#steps.set(phone, { operation, ...(refusal && { refusal }) });
  }
}

/** Says nothing of the organization that has it. */
const numberTaken = () => conflict('organization', 'number');
