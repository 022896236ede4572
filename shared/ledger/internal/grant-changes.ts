import type { OrganizationCode } from '../../core/ids.ts';
import { grantBelongsTo, grantDoesNotExist } from './conditions.ts';
import type { Grant } from './grant.ts';
import { grantKey, nameOfKey } from './keys.ts';
import type { TransactOperation } from './table-client.ts';

type NewGrant = Omit<Grant, 'organization'>;

/** The changes that one write makes to the grants of an organization's tokens. */
export class GrantChanges {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  /** Operations by `nameOfKey`: DynamoDB takes one operation per item. */
  readonly #operations = new Map<string, TransactOperation>();

  constructor(tableName: string, organization: OrganizationCode) {
    this.#tableName = tableName;
    this.#organization = organization;
  }

  get isEmpty(): boolean {
    return this.#operations.size === 0;
  }

  add(tokenHash: string, grant: NewGrant): void {
    this.#put(tokenHash, grant, grantDoesNotExist);
  }

  replace(tokenHash: string, grant: NewGrant): void {
    this.#put(tokenHash, grant, grantBelongsTo(this.#organization));
  }

  revoke(tokenHash: string): void {
    const Key = grantKey(tokenHash);
    // No condition: to revoke a token must never fail.
    this.#operations.set(nameOfKey(Key), { Delete: { TableName: this.#tableName, Key } });
  }

  operations(): TransactOperation[] {
    return [...this.#operations.values()];
  }

  #put(tokenHash: string, grant: NewGrant, condition: object): void {
    const key = grantKey(tokenHash);
    const Item = { ...grant, organization: this.#organization, ...key };
    this.#operations.set(nameOfKey(key), { Put: { TableName: this.#tableName, Item, ...condition } });
  }
}
