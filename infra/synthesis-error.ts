/**
 * Mistake in the sources or settings that a person can fix. The message is the only thing that the person
 * sees.
 */
export class SynthesisError extends Error {}

/** Runs a CDK app. After a mistake, prints the message alone, and the exit code is 1. */
export async function runApp(synthesize: () => void | Promise<void>): Promise<void> {
  try {
    await synthesize();
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
