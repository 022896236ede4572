import * as v from 'valibot';
import { Failure } from '../core/failure.ts';
import type { ConsumedCapacity } from '../ledger/index.ts';

/** One line of a function's log: which request, of which organization, how it went and what it cost. */
export interface LogLine {
  requestId: string;
  /** Method and path template, such as `GET /v1/leads/{leadId}`; or the name of a worker. */
  operation: string;
  organization?: string;
  /** Of a worker: 200 if it succeeded, 500 if it failed. */
  status: number;
  milliseconds: number;
  dynamodb: ConsumedCapacity;
  /** How many items a worker has processed. */
  done?: number | undefined;
  /** The cause of an error answer, or errors that the answer does not mention. */
  error?: unknown;
}

/**
 * Writes one line of JSON, at level `error` for a 5xx or an error behind a success. CloudWatch discovers the
 * fields.
 */
export function log({ error, ...line }: LogLine): void {
  const wentWrong = line.status >= 500 || (line.status < 400 && error !== undefined);
  const level = wentWrong ? 'error' : 'info';
  process.stdout.write(
    `${JSON.stringify({ level, ...line, ...(error !== undefined && { error: describe(error) }) })}\n`,
  );
}

/**
 * An error with its causes. A Failure is expected, so it has no stack. Leaves out what may be private: the
 * field names of an invalid request, and the values of an invalid record.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, stack, cause } = error;
  const problems = error instanceof Failure ? error.extras.details : undefined;
  const message = problems?.map((problem) => problem.message).join('; ') ?? messageOf(error);
  return {
    name,
    message,
    ...(!(error instanceof Failure) && { stack: stack?.replace(error.message, () => message) }),
    ...(cause !== undefined && { cause: describe(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describe) }),
  };
}

/** Valibot's own message quotes what it received. */
function messageOf(error: Error): string {
  if (!v.isValiError(error)) return error.message;
  return error.issues
    .map(({ path, expected, type }) => {
      const field = path?.[0].key;
      return `${typeof field === 'string' ? field : 'value'}: expected ${expected ?? type}`;
    })
    .join('; ');
}
