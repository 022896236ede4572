/**
 * The public interface of the ledger. Keys and transactions are private, in `internal`; the names of the
 * indexes are exported for the table's definition.
 *
 * A domain declares its collections, and reads and writes them through a `Ledger`.
 */
export {
  actionsOf,
  operator,
  permissionsOf,
  probePermissions,
  type Access,
  type EndpointAccess,
  type Permission,
  type Reach,
} from './internal/access.ts';
export type { Booked } from './internal/booked.ts';
export {
  events,
  type Booking,
  type Collection,
  type Due,
  type IdOf,
  type LedgerEvent,
  type ListKind,
  type Membership,
  type RecordOf,
  type RecordRef,
  type SearchableName,
  type UniqueValue,
} from './internal/collection.ts';
export type { ConfigurationReader, StoredEvent } from './internal/ledger-reader.ts';
export { CodeTaken, Inconsistent, type Ledger } from './internal/ledger.ts';
export type { Write } from './internal/write.ts';
export type { Principal, FunctionPrincipal } from './internal/principal.ts';
export { RequestTaken, type KeptRecord, type KeyedRequest } from './internal/keyed-request.ts';
export { newConsumedCapacity, type ConsumedCapacity } from './internal/consumed-capacity.ts';
export type { Grant } from './internal/grant.ts';
export {
  Deliveries,
  deliveryStates,
  LeaseLost,
  type Attempt,
  type Cursor,
  type CursorChanges,
  type Delivery,
} from './internal/deliveries.ts';
export { openStore, type DueCursor, type DueRecord, type Store } from './internal/store.ts';
export { clientConfig } from './internal/client-config.ts';
export { NoHead, OtherFormat } from './internal/head.ts';
export { namingHeadPattern, parseNamingHead, type NamingHead } from './internal/head-stream.ts';
export { dueIndex, keyNamesOf, listIndexes, searchIndexes } from './internal/keys.ts';
