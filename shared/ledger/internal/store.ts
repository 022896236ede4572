import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Principal } from './principal.ts';
import { grantIsUnusedOn } from './conditions.ts';
import { Grant } from './grant.ts';
import type { Collection, RecordRef } from './collection.ts';
import {
  dueIndex,
  duePartition,
  dueShards,
  grantKey,
  keyNamesOf,
  warmUpKey,
  phoneNumberKey,
  parseCursorKey,
  parseRecordKey,
  shardOf,
} from './keys.ts';
import { OrganizationCode } from '../../core/ids.ts';
import { Ledger } from './ledger.ts';
import { newConsumedCapacity } from './consumed-capacity.ts';
import { organizationOwning } from './other-items.ts';
import type { System } from '../../core/system.ts';
import { timeLimits } from '../../core/waits.ts';
import { operator, type Reach } from './access.ts';
import { SerializableTableClient } from './serializable-table-client.ts';
import { clientsOf, Lock, TableClient } from './table-client.ts';

type Limits = Pick<Principal, 'deadline' | 'capacity'>;

/** The table with the ledgers of all organizations. */
export interface Store {
  /**
   * The ledger of the principal's organization. With `isSerializable`, all reads are serializable, at twice the price. No
   * read then shows a record that is older than a head that the caller has read.
   */
  readonly ledgerOf: (principal: Principal, options?: { isSerializable?: boolean }) => Ledger;
  /** The grant of the token with this hash, or undefined. One round trip. */
  readonly grantOf: (tokenHash: string, limits: Limits) => Promise<Grant | undefined>;
  /** Notes in its grant that a token is used on a day (UTC), unless a use on that day is noted. One round trip. */
  readonly noteUse: (tokenHash: string, day: string, limits: Limits) => Promise<void>;
  /** The organization that has a phone number (E.164), or undefined. One round trip, strongly consistent. */
  readonly organizationOfPhoneNumber: (
    phone: string,
    limits: Limits,
  ) => Promise<OrganizationCode | undefined>;
  /**
   * Finds the records of a collection, in all organizations, that are due for a worker by `until` (ISO 8601,
   * UTC, milliseconds). The oldest due time comes first within each shard. The index may lag, so read a
   * record again before changing it.
   */
  readonly dueRecords: <C extends Collection>(
    collection: C,
    worker: string,
    until: string,
    limits: Limits,
  ) => AsyncGenerator<DueRecord<C>>;
  /** Finds the cursors of webhooks, in all organizations, that are due by `until`, in the same way as `dueRecords`. */
  readonly dueCursors: (worker: string, until: string, limits: Limits) => AsyncGenerator<DueCursor>;
  /**
   * Sends a first call, so that the code is loaded and a connection is open. Takes about a second at most.
   * Never throws.
   */
  readonly warmUp: () => Promise<void>;
}

/** A record that is due for a worker. */
export interface DueRecord<C extends Collection> {
  organization: OrganizationCode;
  ref: RecordRef<C>;
}

/** A webhook with a due cursor. */
export interface DueCursor {
  organization: OrganizationCode;
  webhook: number;
}

/** Opens the table. Sends no call. */
export function openStore(client: DynamoDBClient, tableName: string, system: System): Store {
  const clients = clientsOf(client);
  // The logger copies the input and output of every call, even if nothing is logged.
  client.middlewareStack.remove('loggerMiddleware');
  const lockedClient = (
    limits: Limits,
    reach: Reach,
    organization?: OrganizationCode,
    Client: typeof TableClient = TableClient,
  ) => new Client(clients, tableName, system, limits, new Lock(reach, organization));
  return {
    ledgerOf: (principal, { isSerializable = false } = {}) => {
      const { reach = operator, organization } = principal;
      const Client = isSerializable ? SerializableTableClient : TableClient;
      return new Ledger(lockedClient(principal, reach, organization, Client), system, principal);
    },
    grantOf: async (tokenHash, limits) => {
      const item = await lockedClient(limits, { access: ['GetItem grant'] }).get(grantKey(tokenHash));
      return item && v.parse(Grant, item);
    },
    noteUse: async (tokenHash, day, limits) => {
      const table = lockedClient(limits, { access: ['UpdateItem use'] });
      await table.update(grantKey(tokenHash), { set: { lastUsedOn: day } }, grantIsUnusedOn(day));
    },
    organizationOfPhoneNumber: async (phone, limits) => {
      const item = await lockedClient(limits, { access: ['GetItem number'] }).get(phoneNumberKey(phone));
      return item && organizationOwning(item);
    },
    async *dueRecords<C extends Collection>(collection: C, worker: string, until: string, limits: Limits) {
      const table = lockedClient(limits, { access: ['Query due'], worker });
      for await (const { organization, key } of dueKeys(table, worker, until)) {
        const { collection: name, number } = parseRecordKey(key) ?? {};
        if (name === collection.name && number !== undefined)
          yield { organization, ref: { collection, number } };
      }
    },
    async *dueCursors(worker, until, limits) {
      const table = lockedClient(limits, { access: ['Query due'], worker });
      for await (const { organization, key } of dueKeys(table, worker, until)) {
        const { webhook } = parseCursorKey(key) ?? {};
        if (webhook !== undefined) yield { organization, webhook };
      }
    },
    warmUp: async () => {
      const limits = { deadline: system.now() + timeLimits.warmUp, capacity: newConsumedCapacity() };
      await lockedClient(limits, { access: 'get' })
        .get(warmUpKey)
        .catch(() => undefined);
    },
  };
}

/** Keys of items that are due for a worker, each in its organization's shard. */
async function* dueKeys(table: TableClient, worker: string, until: string) {
  for (let shard = 0; shard < dueShards; shard++) {
    const pk = duePartition(worker, shard);
    for await (const keys of table.keysUpTo({ index: dueIndex, ...keyNamesOf(dueIndex), pk }, until)) {
      for (const key of keys) {
        const code = v.safeParse(OrganizationCode, parseRecordKey(key)?.organization);
        // The ledger puts items only into their organization's shard.
        if (code.success && shardOf(code.output) === shard) yield { organization: code.output, key };
      }
    }
  }
}
