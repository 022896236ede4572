/** What one request asked of DynamoDB: requests sent, and the capacity units it reported as consumed. */
export interface ConsumedCapacity {
  calls: number;
  readUnits: number;
  writeUnits: number;
}

export const newConsumedCapacity = (): ConsumedCapacity => ({ calls: 0, readUnits: 0, writeUnits: 0 });
