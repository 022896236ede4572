/** An error that the operator can fix: they see its message alone. */
export class AdminError extends Error {}
