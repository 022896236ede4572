/** A broken rule, with the expected and the observed value. */
export class Violation extends Error {
  readonly expected: unknown;
  readonly observed: unknown;

  constructor(rule: string, { expected, observed }: { expected: unknown; observed: unknown }) {
    super(rule);
    this.name = 'Violation';
    this.expected = expected;
    this.observed = observed;
  }
}
