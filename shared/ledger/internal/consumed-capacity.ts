/**
 * Number of calls that one request sent to DynamoDB, the capacity units that their replies reported, and the
 * outcome of its writes.
 */
export interface ConsumedCapacity {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** Number of tries of write transactions. More than `writes` if writers contend. */
  transactions: number;
  /** Number of write transactions that are known to be stored. */
  writes: number;
}

export const newConsumedCapacity = (): ConsumedCapacity => ({
  calls: 0,
  readUnits: 0,
  writeUnits: 0,
  transactions: 0,
  writes: 0,
});
