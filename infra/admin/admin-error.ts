/** An error that the operator can fix. The command prints its message without a stack. */
export class AdminError extends Error {}
