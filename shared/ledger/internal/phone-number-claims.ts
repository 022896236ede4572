import * as v from 'valibot';
import { conflict } from '../../core/failure.ts';
import { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { phoneNumberIsFreeOrOwnedBy } from './conditions.ts';
import { phoneNumberKey } from './keys.ts';
import type { TransactOperation, WriteOperation } from './table-client.ts';

/** The item of a phone number. Its key has no organization: an SMS that comes in names the number alone. */
export const PhoneNumberOwner = v.object({ organization: OrganizationCode });

/** The organization that has a phone number, from the number's item. */
export const organizationOwning = (item: Item): OrganizationCode =>
  v.parse(PhoneNumberOwner, item).organization;

/** The changes that one write makes to the phone numbers of an organization. */
export class PhoneNumberClaims {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  /** Operations by phone number: DynamoDB takes one operation per item. */
  readonly #operations = new Map<string, WriteOperation>();

  constructor(tableName: string, organization: OrganizationCode) {
    this.#tableName = tableName;
    this.#organization = organization;
  }

  get isEmpty(): boolean {
    return this.#operations.size === 0;
  }

  claim(phone: string): void {
    const Item = { ...phoneNumberKey(phone), organization: this.#organization };
    this.#add(
      phone,
      { Put: { TableName: this.#tableName, Item, ...phoneNumberIsFreeOrOwnedBy(this.#organization) } },
      numberTaken,
    );
  }

  release(phone: string): void {
    this.#add(phone, {
      Delete: {
        TableName: this.#tableName,
        Key: phoneNumberKey(phone),
        ...phoneNumberIsFreeOrOwnedBy(this.#organization),
      },
    });
  }

  operations(): WriteOperation[] {
    return [...this.#operations.values()];
  }

  #add(phone: string, operation: TransactOperation, refusal?: WriteOperation['refusal']): void {
    this.#operations.set(phone, { operation, ...(refusal && { refusal }) });
  }
}

/** The failure names no organization: who has the number is private. */
const numberTaken = () => conflict('organization', 'number');
