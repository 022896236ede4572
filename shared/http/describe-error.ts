import * as v from 'valibot';
import { Failure } from '../core/failure.ts';

/** Error as a log line shows it. */
interface DescribedError {
  name?: string;
  message: string;
  stack?: string;
  cause?: DescribedError;
  errors?: DescribedError[];
  /** Number of further errors, which are not described. */
  more?: number;
}

/**
 * Maximum number of described errors. A batch can have a hundred, and CloudWatch cuts a line that is too
 * long.
 */
const maxErrors = 5;
/** Maximum depth of described causes. */
const maxCauses = 5;
/** Maximum lengths of a name, a message and a stack, in characters. */
const longest = { name: 100, message: 1000, stack: 4000 } as const;
/**
 * Stop after this many bytes: a log line must stay under 64 KB. The last error can exceed the limit, and JSON
 * may escape each of its characters as six bytes.
 */
const maxBytes = 24 * 1024;

/**
 * Describes an error and its causes. Leaves out data that may be private: names of fields in an invalid request, values
 * of an invalid record, and data quoted in an error's message. A Failure is expected, so it has no stack.
 */
export function describeError(error: unknown): DescribedError {
  return describe(error, maxCauses, { bytes: maxBytes });
}

/** @param room bytes left for the line's errors; `describe` reduces it */
function describe(error: unknown, causesLeft: number, room: { bytes: number }): DescribedError {
  const own = withoutCauses(error);
  room.bytes -= Buffer.byteLength(JSON.stringify(own));
  if (!(error instanceof Error) || causesLeft === 0) return own;
  const inner = (one: unknown) => describe(one, causesLeft - 1, room);
  const { cause } = error;
  return {
    ...own,
    ...(cause instanceof Error && room.bytes > 0 && { cause: inner(cause) }),
    ...(error instanceof AggregateError && someOf(error.errors, room, inner)),
  };
}

function withoutCauses(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { message: `Not an error, but of type ${typeof error}` };
  const name = textOf(error.name).slice(0, longest.name);
  const message = messageOf(error).slice(0, longest.message);
  if (error instanceof Failure) return { name, message };
  return {
    name,
    message,
    stack: [`${name}: ${message}`, ...framesOf(error)].join('\n').slice(0, longest.stack),
  };
}

function someOf(
  errors: readonly unknown[],
  room: { bytes: number },
  inner: (error: unknown) => DescribedError,
): Pick<DescribedError, 'errors' | 'more'> {
  const described: DescribedError[] = [];
  for (const error of errors.slice(0, maxErrors)) if (room.bytes > 0) described.push(inner(error));
  const more = errors.length - described.length;
  return { errors: described, ...(more > 0 && { more }) };
}

/**
 * Returns an empty string for anything but a string: some code throws errors without a name, message or
 * stack.
 */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * Matches messages of V8 and Node.js that quote no value: `Cannot read properties of undefined (reading
 * 'id')`.
 */
const quotesNothing =
  /^(?:Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '\w{1,40}'\)|[\w.]+ is not (?:a function|a constructor|iterable|defined))$/;

/**
 * Names of errors with messages that quote values after a fixed beginning. The errors come from DynamoDB and SigV4. A
 * message of SigV4 quotes the whole request ("The Canonical String … should have been 'POST").
 */
const quotesAtTheEnd = ['ValidationException', 'SerializationException', 'InvalidSignatureException'];

function messageOf(error: Error): string {
  if (error instanceof Failure) {
    if (error.extras.quotesInput) return '(left out, since it quotes the request)';
    return error.extras.details?.map(({ message }) => message).join('; ') ?? error.message;
  }
  if (v.isValiError(error)) return expectationsOf(error);
  const message = textOf(error.message);
  // For example a SyntaxError of `JSON.parse`, a TypeError of `Object.fromEntries`, or a DOMException of
  // `structuredClone`.
  if (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof URIError ||
    error instanceof DOMException
  ) {
    return quotesNothing.test(message) ? message : '(left out, since it may quote data)';
  }
  // "Value '…' at 'x' failed …", "Input collection [a, a] contains duplicates", "Syntax error; token: a, near: …".
  if (quotesAtTheEnd.includes(error.name)) {
    return message.replace(/(?:['"[{]|numeric value:|token:).*/s, '…');
  }
  // Message of the SDK about an attribute that it cannot store.
  return message.replace(/^(Unsupported type passed:).*/s, '$1 …');
}

/** Names each invalid field and the expected type or value. Valibot's own message quotes the value. */
function expectationsOf({ issues }: { issues: readonly v.BaseIssue<unknown>[] }): string {
  return issues
    .map(({ path, expected, type }) => `${fieldOf(path?.[0], expected)}: expected ${expected ?? type}`)
    .join('; ');
}

/**
 * Name of a schema's field. An unknown key is left out, because it may be anyone's data. Keys below a field are left
 * out, too, because records nest there.
 */
function fieldOf(item: v.IssuePathItem | undefined, expected: string | null): string {
  if (item === undefined || typeof item.key !== 'string' || !/^\w{1,40}$/.test(item.key)) return 'value';
  // For a missing field, Valibot expects the key itself. For any other key, it expects a type.
  return item.origin === 'key' && expected !== JSON.stringify(item.key) ? 'value' : item.key;
}

const frame = /^ {4}at .*(?::\d+:\d+|<anonymous>|native)\)?$/;

/**
 * Lines of the stack after the message. The stack begins with the original message, and the AWS SDK changes some
 * messages afterwards.
 */
function framesOf({ stack }: Error): string[] {
  const lines = textOf(stack).split('\n');
  return lines.slice(lines.findLastIndex((line) => !frame.test(line)) + 1);
}
