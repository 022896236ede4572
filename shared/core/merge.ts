/** The record with these changes; a field that is absent or undefined keeps its value. */
export function merge<R extends object>(
  record: R,
  changes: { [Field in keyof R]?: R[Field] | undefined },
): R {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...record, ...Object.fromEntries(given) };
}
