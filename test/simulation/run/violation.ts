/** Something that must not be: what was expected, and what was seen. */
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
