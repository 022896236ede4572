/**
 * What one request asked of DynamoDB: calls sent, the capacity units that their replies reported as consumed, and what
 * became of its writes.
 */
export interface ConsumedCapacity {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** Write transactions sent, each try of them. More than `writes` where writers contend. */
  transactions: number;
  /** Write transactions that are known to be stored. */
  writes: number;
}

export const newConsumedCapacity = (): ConsumedCapacity => ({
  calls: 0,
  readUnits: 0,
  writeUnits: 0,
  transactions: 0,
  writes: 0,
});
