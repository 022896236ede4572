/** Something that must not be: what was expected, and what was seen. */
export class Violation extends Error {
  readonly expected: unknown;
  readonly seen: unknown;

  constructor(rule: string, { expected, seen }: { expected: unknown; seen: unknown }) {
    super(rule);
    this.name = 'Violation';
    this.expected = expected;
    this.seen = seen;
  }
}
