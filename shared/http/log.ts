import * as v from 'valibot';
import { Failure } from '../core/failure.ts';
import type { ConsumedCapacity } from '../ledger/index.ts';

/** One line of a function's log: which request, of which organization, how it went and what it cost. */
export interface LogLine {
  requestId: string;
  /** Method and path template, such as `GET /v1/leads/{leadId}`; never the query or the body. */
  operation: string;
  organization?: string;
  status: number;
  milliseconds: number;
  dynamodb: ConsumedCapacity;
  /** What led to an error answer, or what the answer leaves out. */
  error?: unknown;
}

/** Writes the line as one line of JSON: `error` for a 5xx, or what went wrong behind a success. CloudWatch finds the fields by itself. */
export function log({ error, ...line }: LogLine): void {
  const wentWrong = line.status >= 500 || (line.status < 400 && error !== undefined);
  const level = wentWrong ? 'error' : 'info';
  process.stdout.write(
    `${JSON.stringify({ level, ...line, ...(error !== undefined && { error: describe(error) }) })}\n`,
  );
}

/**
 * An error with its causes. A Failure is expected, so its stack would say nothing. Of a request that is wrong, the names of
 * its fields stay out: a client can have put anything there. Of a record that is wrong, its values do.
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
