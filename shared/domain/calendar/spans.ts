/** Begin and end of a span of time, in local or epoch milliseconds. The end is not part of the span. */
export type Span = readonly [from: number, to: number];

export const overlaps = (one: Span, other: Span): boolean => one[0] < other[1] && other[0] < one[1];

export const contains = (outer: Span, inner: Span): boolean => outer[0] <= inner[0] && inner[1] <= outer[1];

export const isSame = (one: Span, other: Span): boolean => one[0] === other[0] && one[1] === other[1];

/** Sorts spans, and joins spans that touch or overlap. */
export function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = apart.at(-1);
    if (last && from <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
    else apart.push([from, to]);
  }
  return apart;
}

/** Time that is in both lists. In both lists and in the result, the spans are in order and apart. */
export function common(some: readonly Span[], others: readonly Span[]): Span[] {
  const both: Span[] = [];
  let [at, otherAt] = [0, 0];
  for (;;) {
    const [one, other] = [some[at], others[otherAt]];
    if (!one || !other) return both;
    const [from, to] = [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
    if (from < to) both.push([from, to]);
    if (one[1] < other[1]) at++;
    else otherAt++;
  }
}

/** Time that is left of spans without the taken spans. `spans` are in order and apart. */
export function without(spans: readonly Span[], taken: readonly Span[]): Span[] {
  const left: Span[] = [];
  let after = -Infinity;
  for (const [from, to] of joined(taken)) {
    left.push([after, from]);
    after = to;
  }
  return common(spans, [...left, [after, Infinity]]);
}
