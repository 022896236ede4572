/**
 * Mistake in the sources or settings that a person can fix. The message is the only thing that the person
 * sees.
 */
export class SynthesisError extends Error {}
