import { AdminError } from './admin-error.ts';
import { messageOf } from './aws-error.ts';

/** Turns an error of the file system into a sentence; returns any other error unchanged. */
export const diskError = (what: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new AdminError(`${what}: ${messageOf(error)}.`) : error;
