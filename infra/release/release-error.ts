/** An error that the person who releases can fix: they see its message alone. */
export class ReleaseError extends Error {}
