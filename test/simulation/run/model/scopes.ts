/** Whether a token with these scopes may do what a narrow scope says (`decisions.md`, "Tokens"). */
export function isGranted(scopes: readonly string[], wanted: string): boolean {
  const [subject, right] = wanted.split(':');
  // What anyone can read on a website is never a part of anything else.
  if (subject === 'forms') return scopes.includes(wanted);
  const wide = right === 'read' ? 'read' : 'write';
  return (
    scopes.includes(wanted) ||
    scopes.includes(wide) ||
    (right === 'create' && scopes.includes(`${subject}:write`))
  );
}
