import { SynthesisError } from '../synthesis-error.ts';
import { ReleaseError } from './release-error.ts';

/** Runs a command and sets its exit code. What a person can fix is one sentence. */
export async function printErrors(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!(error instanceof ReleaseError || error instanceof SynthesisError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
