import type { Ledger } from '../../../shared/ledger/index.ts';
import type { Records } from '../records.ts';

/** Consumption of DynamoDB by an operation. */
export type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

/** Parts of a request beside its method and path. */
export interface TestedRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: object;
}

/**
 * Carries out an operation on an organization with these records. `later` is the same ledger, opened a second
 * time.
 */
export type Run = (ledger: Ledger, records: Records, later: Ledger) => Promise<unknown>;

/**
 * Entry of an operation, for all tests that run every operation. Each file of this folder has those of one
 * subject, by operationId.
 */
export interface TestedOperation {
  /**
   * Exact cost of `run` in an organization to which nobody else writes; undefined for an operation that uses
   * no table.
   */
  cost?: Cost;
  /** Makes further records that `run` needs, at no cost to it. Returns all records. */
  given?: (ledger: Ledger, records: Records) => Promise<Records>;
  /** Calls the verb with the most that it can do; undefined for an operation that uses no table. */
  run?: Run;
  /** Calls the verb in a way that takes another action. */
  otherWay?: Run;
  /** A request that succeeds in an organization with these records. `n` makes each request a new one. */
  request: (records: Records, n: number) => TestedRequest;
}
