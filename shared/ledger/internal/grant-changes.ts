import type { OrganizationCode } from '../../core/ids.ts';
import type { Grant } from './grant.ts';
import { grantKey, nameOfKey } from './keys.ts';
import type { TransactItem } from './table-client.ts';

type NewGrant = Omit<Grant, 'organization'>;

/** What one write does to the grants of an organization's tokens. */
export class GrantChanges {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  /** By key: DynamoDB takes one operation per item. */
  readonly #steps = new Map<string, TransactItem>();

  constructor(tableName: string, organization: OrganizationCode) {
    this.#tableName = tableName;
    this.#organization = organization;
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  add(tokenHash: string, grant: NewGrant): void {
    this.#put(tokenHash, grant, { ConditionExpression: 'attribute_not_exists(pk)' });
  }

  replace(tokenHash: string, grant: NewGrant): void {
    // A deleted grant must not come back.
    this.#put(tokenHash, grant, {
      ConditionExpression: 'organization = :organization',
      ExpressionAttributeValues: { ':organization': this.#organization },
    });
  }

  revoke(tokenHash: string): void {
    const Key = grantKey(tokenHash);
    // No condition: revoking a token must never fail.
    this.#steps.set(nameOfKey(Key), { Delete: { TableName: this.#tableName, Key } });
  }

  steps(): TransactItem[] {
    return [...this.#steps.values()];
  }

  #put(tokenHash: string, grant: NewGrant, condition: object): void {
    const key = grantKey(tokenHash);
    const Item = { ...grant, organization: this.#organization, ...key };
    this.#steps.set(nameOfKey(key), { Put: { TableName: this.#tableName, Item, ...condition } });
  }
}
