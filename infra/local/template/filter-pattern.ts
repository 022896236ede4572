import * as v from 'valibot';

/**
 * Pattern of an event filter, as far as this machine knows them. Each field has another pattern, or a list of texts and
 * of `{exists: true}`. One member of the list must match.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export interface FilterPattern {
  [field: string]: FilterPattern | FilterRule[];
}
type FilterRule = string | { exists: true };

export const FilterPattern: v.GenericSchema<FilterPattern> = v.record(
  v.string(),
  v.union([
    v.array(v.union([v.string(), v.strictObject({ exists: v.literal(true) })])),
    v.lazy(() => FilterPattern),
  ]),
);

/** True if a pattern lets an event pass. */
export function passes(pattern: FilterPattern, event: unknown): boolean {
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = v.is(Fields, event) ? event[field] : undefined;
    if (!Array.isArray(wanted)) return passes(wanted, value);
    // Lambda's `exists` matches leaves alone.
    return wanted.some((rule) =>
      typeof rule === 'string' ? rule === value : value !== undefined && !v.is(Fields, value),
    );
  });
}

const Fields = v.record(v.string(), v.unknown());
