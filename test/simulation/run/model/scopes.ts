/** True if a token with these scopes may do what a narrow scope allows (`decisions.md`, "Tokens"). */
export function isGranted(scopes: readonly string[], wanted: string): boolean {
  const [subject, right] = wanted.split(':');
  // Anyone can read a website's token, so its scope is never part of another.
  if (subject === 'forms') return scopes.includes(wanted);
  const wide = right === 'read' ? 'read' : 'write';
  return (
    scopes.includes(wanted) ||
    scopes.includes(wide) ||
    (right === 'create' && scopes.includes(`${subject}:write`))
  );
}
