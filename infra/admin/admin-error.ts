/** Something the operator can mend: its message is the one sentence they see. */
export class AdminError extends Error {}
