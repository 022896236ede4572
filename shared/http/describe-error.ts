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
/** How long a name, a message and a stack may be, in characters. */
const longest = { name: 100, message: 1000, stack: 4000 } as const;
/**
 * After so many bytes no further error is described. The last one adds 6 for each character at most, so that a line stays
 * under the 64 KB which all that reads it takes.
 */
const maxBytes = 24 * 1024;

/**
 * An error with its causes, without what may be private: the field names of an invalid request, the values of an invalid
 * record, and what an error's own message may quote. A Failure is expected, so it has no stack.
 */
export function describeError(error: unknown): DescribedError {
  return describe(error, maxCauses, { bytes: maxBytes });
}

/** @param room what is left for the line's errors; is made smaller */
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

/** Some throw errors that lack what an error has. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What V8 and Node.js say without quoting a value: `Cannot read properties of undefined (reading 'id')`. */
const quotesNothing =
  /^(?:Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '\w{1,40}'\)|[\w.]+ is not (?:a function|a constructor|iterable|defined))$/;

/** DynamoDB's, and SigV4's, which quotes the whole request: "The Canonical String … should have been 'POST". */
const quotesAtTheEnd = ['ValidationException', 'SerializationException', 'InvalidSignatureException'];

function messageOf(error: Error): string {
  if (error instanceof Failure) {
    return error.extras.details?.map(({ message }) => message).join('; ') ?? error.message;
  }
  if (v.isValiError(error)) return expectationsOf(error);
  const message = textOf(error.message);
  // Such as a SyntaxError of `JSON.parse`, a TypeError of `Object.fromEntries`, or a DOMException of `structuredClone`.
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
  // The SDK, of an attribute that it cannot store.
  return message.replace(/^(Unsupported type passed:).*/s, '$1 …');
}

/** Which field is not what it should be. Valibot's own message quotes what it received. */
function expectationsOf({ issues }: { issues: readonly v.BaseIssue<unknown>[] }): string {
  return issues
    .map(({ path, expected, type }) => `${fieldOf(path?.[0], expected)}: expected ${expected ?? type}`)
    .join('; ');
}

/** A field of a schema, and no key that it does not know, which may be anyone's data. Records are below fields: not told. */
function fieldOf(item: v.IssuePathItem | undefined, expected: string | null): string {
  if (item === undefined || typeof item.key !== 'string' || !/^\w{1,40}$/.test(item.key)) return 'value';
  // Valibot says of a field that is missing that it expected the key, and of any other key what it should be.
  return item.origin === 'key' && expected !== JSON.stringify(item.key) ? 'value' : item.key;
}

const frame = /^ {4}at .*(?::\d+:\d+|<anonymous>|native)\)?$/;

/** The stack without its beginning, which is the message as it first was: the AWS SDK changes some afterwards. */
function framesOf({ stack }: Error): string[] {
  const lines = textOf(stack).split('\n');
  return lines.slice(lines.findLastIndex((line) => !frame.test(line)) + 1);
}
