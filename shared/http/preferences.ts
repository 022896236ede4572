/**
 * True if the header `Prefer` names a preference without a value, maybe with parameters (RFC 7240, section 2). A comma or
 * a semicolon within quotes separates nothing.
 */
export function prefers({ headers }: { headers: { prefer?: string | undefined } }, name: string): boolean {
  if (headers.prefer === undefined) return false;
  const named = new RegExp(String.raw`^\s*${name}\s*(=\s*("")?\s*)?(;|$)`, 'i');
  return headers.prefer
    .replaceAll(/"(?:[^"\\]|\\.)+"/g, '"…"')
    .split(',')
    .some((preference) => named.test(preference));
}
