import type { Ledger } from '../../../shared/ledger/index.ts';
import type { Records } from '../records.ts';

/** What an operation asks of DynamoDB. */
export type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

/** What a request of an operation says, beside its method and path. */
export interface TestedRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: object;
}

/** Carries out an operation on an organization that has these records; `later` is its ledger opened once more. */
export type Run = (ledger: Ledger, records: Records, later: Ledger) => Promise<unknown>;

/** What tests know of an operation. Each file of this folder has those of one subject, by their operationIds. */
export interface TestedOperation {
  /** The exact cost of `run` in an organization to which nobody else writes; none for one that uses no table. */
  cost?: Cost;
  /** Makes what `run` needs beside an organization's records, at no cost of its own. Returns the records that it then has. */
  given?: (ledger: Ledger, records: Records) => Promise<Records>;
  /** What it does, at its fullest; none for one that uses no table. */
  run?: Run;
  /** What is done another way, and takes another action. */
  otherWay?: Run;
  /** A request that succeeds, given an organization's records; `n` makes it a new one each time. */
  request: (records: Records, n: number) => TestedRequest;
}
