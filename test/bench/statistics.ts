/** The value below which this share, from 0 to 1, of the values lies: one of them. @throws RangeError for none */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('There is nothing to take a quantile of');
  return value;
}

/** The value in the middle; of an even number the lower of the two. @throws RangeError for none */
export const median = (values: readonly number[]) => quantile(values, 0.5);
