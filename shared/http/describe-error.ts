import * as v from 'valibot';
import { Failure } from '../core/failure.ts';

/** An error as a line of log shows it. */
interface DescribedError {
  name?: string;
  message: string;
  stack?: string;
  cause?: DescribedError;
  errors?: DescribedError[];
  /** How many further errors there are, which are not described. */
  more?: number;
}

/** How many of several errors are described: a batch can have a hundred, and a line that is too long is cut. */
const maxErrors = 5;
/** How many causes are followed. */
const maxCauses = 5;

/**
 * An error with its causes, without what may be private: the field names of an invalid request, the values of an invalid
 * record, and what an error's own message may quote. A Failure is expected, so it has no stack.
 */
export function describeError(error: unknown, causesLeft = maxCauses): DescribedError {
  if (!(error instanceof Error)) return { message: `Not an error, but of type ${typeof error}` };
  const { name, cause } = error;
  const message = messageOf(error);
  const inner = (one: unknown) => describeError(one, causesLeft - 1);
  return {
    name,
    message,
    ...(!(error instanceof Failure) && { stack: [`${name}: ${message}`, ...framesOf(error)].join('\n') }),
    ...(causesLeft > 0 && cause instanceof Error && { cause: inner(cause) }),
    ...(causesLeft > 0 &&
      error instanceof AggregateError && {
        errors: error.errors.slice(0, maxErrors).map(inner),
        ...(error.errors.length > maxErrors && { more: error.errors.length - maxErrors }),
      }),
  };
}

/** What V8 and Node.js say without quoting a value: `Cannot read properties of undefined (reading 'id')`. */
const quotesNothing =
  /^(?:Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '\w{1,40}'\)|[\w.]+ is not (?:a function|a constructor|iterable|defined))$/;

function messageOf(error: Error): string {
  if (error instanceof Failure) {
    return error.extras.details?.map(({ message }) => message).join('; ') ?? error.message;
  }
  if (v.isValiError(error)) return expectationsOf(error);
  // Such as a SyntaxError of `JSON.parse`, or a TypeError of `Object.fromEntries`.
  if (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof URIError
  ) {
    return quotesNothing.test(error.message) ? error.message : '(left out, since it may quote data)';
  }
  // DynamoDB quotes values at the end: "Value '…' at 'x' failed …", "Input collection [a, a] contains duplicates".
  if (error.name === 'ValidationException' || error.name === 'SerializationException') {
    return error.message.replace(/(?:['"[{]|numeric value:).*/s, '…');
  }
  // The SDK, of an attribute that it cannot store.
  return error.message.replace(/^(Unsupported type passed:).*/s, '$1 …');
}

/** Which field is not what it should be. Valibot's own message quotes what it received. */
function expectationsOf({ issues }: { issues: readonly v.BaseIssue<unknown>[] }): string {
  return issues
    .map(({ path, expected, type }) => {
      const field = path?.[0].key;
      return `${typeof field === 'string' ? field : 'value'}: expected ${expected ?? type}`;
    })
    .join('; ');
}

const frame = /^ {4}at .*(?::\d+:\d+|<anonymous>|native)\)?$/;

/** The stack without its beginning, which is the message as it first was: the AWS SDK changes some afterwards. */
function framesOf({ stack = '' }: Error): string[] {
  const lines = stack.split('\n');
  return lines.slice(lines.findLastIndex((line) => !frame.test(line)) + 1);
}
