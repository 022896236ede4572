/** Why the stack cannot be synthesized, where a person can mend it: the message is the one sentence they see. */
export class SynthesisError extends Error {}
