import { AdminError } from './admin-error.ts';
import { messageOf } from './aws-error.ts';

/** Why a file could not be written or read, as a sentence: no space is left, or it may not be. Any other error as it is. */
export const diskError = (what: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new AdminError(`${what}: ${messageOf(error)}.`) : error;
