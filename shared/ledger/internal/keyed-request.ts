import * as v from 'valibot';
import { Failure, undecided } from '../../core/failure.ts';
import type { Item } from './attributes.ts';
import { requestIsNotKept, revisionUnchanged } from './conditions.ts';
import { requestKey } from './keys.ts';
import type { WriteOperation, WriteTarget } from './table-client.ts';

/** A record that a request with an `Idempotency-Key` stored. */
export interface KeptRecord {
  /** Position in the request's batch; undefined for a request that is no batch. */
  item?: number | undefined;
  /** Name of the collection. */
  collection: string;
  number: number;
  /** Revision that the request gave the record. */
  revision: number;
}

/** Item of a request with an `Idempotency-Key` that stored something. The item has no personal data. */
export interface KeptRequest {
  fingerprint: string;
  records: readonly KeptRecord[];
  /** Outcome that the records do not show, stored as `note`; empty if there is none. */
  replayData: string;
  /** Version of the head after the last write that stored the item. */
  revision: number;
  expiresAtSecond: number;
}

/** A request with an `Idempotency-Key`. The ledger keeps it in the transaction of its write. */
export interface KeyedRequest {
  /** Hash of token, operation and key. */
  readonly id: string;
  /** Keyed hash of the request's content. Another request with the same key has another fingerprint. */
  readonly fingerprint: string;
  /**
   * Content of the request's item; undefined while nothing of the request is stored. All ledgers of the principal change
   * this field: by `refreshKept`, and by each stored write that adds something.
   */
  kept: KeptRequest | undefined;
}

/** Another transaction has stored or continued the principal's request in the meantime. */
export class RequestTaken extends Failure {
  constructor() {
    const { kind, message, extras } = undecided();
    super(kind, message, extras);
  }
}

/** Number of seconds that a request is kept. */
const keptSeconds = 86_400;

const secondOf = (now: string): number => Math.floor(Date.parse(now) / 1000);

/**
 * Stores a request: for the first time, or with the additions of a further write. The condition fails if another write
 * has stored or continued the request since it was read.
 */
export function keepRequest(
  { tableName: TableName, organization }: WriteTarget,
  { id, fingerprint, kept }: KeyedRequest,
  { now, revision, ...added }: { now: string; revision: number; records: KeptRecord[]; replayData: string },
): { operation: WriteOperation; kept: KeptRequest } {
  const second = secondOf(now);
  const after: KeptRequest = {
    fingerprint,
    records: [...(kept?.records ?? []), ...added.records],
    replayData: added.replayData,
    revision,
    expiresAtSecond: kept?.expiresAtSecond ?? second + keptSeconds,
  };
  const { records, replayData: note, ...attributes } = after;
  const Item = {
    ...requestKey(organization, id),
    ...attributes,
    note,
    records: records.map(formatRecord).join(' '),
  };
  const condition = kept ? revisionUnchanged(kept.revision) : requestIsNotKept(second);
  return {
    operation: { operation: { Put: { TableName, Item, ...condition } }, refusal: () => new RequestTaken() },
    kept: after,
  };
}

/** `LEAD#5@7`, or `3:LEAD#5@7` for a position in a batch. */
const formatRecord = ({ item, collection, number, revision }: KeptRecord): string =>
  `${item === undefined ? '' : `${item}:`}${collection}#${number}@${revision}`;

const Records = v.pipe(
  v.string(),
  v.transform((text) =>
    [...text.matchAll(/(?:(\d+):)?([^#\s]+)#(\d+)@(\d+)/g)].map(
      ([, item, collection = '', number, revision]): KeptRecord => ({
        ...(item !== undefined && { item: Number(item) }),
        collection,
        number: Number(number),
        revision: Number(revision),
      }),
    ),
  ),
);

const StoredRequest = v.object({
  fingerprint: v.string(),
  records: Records,
  note: v.string(),
  revision: v.number(),
  expiresAtSecond: v.number(),
});

/** Parses a request's item; undefined if it has expired. DynamoDB deletes an expired item some time later. */
export function keptIn(item: Item, now: string): KeptRequest | undefined {
  const { note: replayData, ...kept } = v.parse(StoredRequest, item);
  return kept.expiresAtSecond > secondOf(now) ? { ...kept, replayData } : undefined;
}
