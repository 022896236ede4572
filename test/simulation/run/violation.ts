import { same } from './same.ts';

/** A broken rule, with the expected and the observed value. */
export class Violation extends Error {
  readonly expected: unknown;
  readonly observed: unknown;

  constructor(rule: string, expected: unknown, observed: unknown) {
    super(rule);
    this.name = 'Violation';
    this.expected = expected;
    this.observed = observed;
  }
}

/** @throws Violation unless a value is one of the possible ones */
export function checkOneOf(rule: string, possible: readonly unknown[], observed: unknown): void {
  if (!possible.some((one) => same(one, observed))) throw new Violation(rule, possible, observed);
}
