import { expect } from 'vitest';

/**
 * Asserts that a time is between this moment and now. The clock of the service may differ from this clock by a minute.
 */
export function expectMadeSince(began: number, time: string): void {
  expect(Date.parse(time)).toBeGreaterThan(began - 60_000);
  expect(Date.parse(time)).toBeLessThan(Date.now() + 60_000);
}
