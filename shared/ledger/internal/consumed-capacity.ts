/** What one request asked of DynamoDB: requests sent, and the capacity units it reported as consumed. */
export interface Meter {
  calls: number;
  readUnits: number;
  writeUnits: number;
}

export const newMeter = (): Meter => ({ calls: 0, readUnits: 0, writeUnits: 0 });
