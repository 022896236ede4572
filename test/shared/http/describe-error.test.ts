import {
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { describeError } from '../../../shared/http/describe-error.ts';
import { Failure, conflict, invalid, unavailable } from '../../../shared/core/failure.ts';

/** Data that must never be in a log: here, all data of one lead. */
const secrets = ['61491570156', 'Ann', 'example.com', 'sk_live_'];
const stored = { phone: '+61491570156\n    at home', socials: { 'ann@example.com': 'Ann' } };

function causeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
}

const fault = (name: string, message: string) =>
  new DynamoDBServiceException({ name, message, $fault: 'client', $metadata: {} });

class Odd {
  toString() {
    return 'Ann';
  }
}

const anyMap = new Map<unknown, unknown>();

/** Builds an error with six causes. Each cause has six causes, and so on. */
const deep = (depth: number, message: string): Error =>
  depth === 0
    ? new Error(message, { cause: new Error(message) })
    : new AggregateError(
        Array.from({ length: 6 }, () => deep(depth - 1, message)),
        message,
      );

describe('nothing private is in the description of', () => {
  const cases: [what: string, error: unknown][] = [
    ['a record that its schema refuses', causeOf(() => v.parse(v.object({ phone: v.literal('') }), stored))],
    [
      'a value that is not in the list',
      causeOf(() => v.parse(v.object({ a: v.picklist(['b']) }), { a: 'Ann' })),
    ],
    ['text that its schema cannot read', causeOf(() => v.parse(v.pipe(v.string(), v.parseJson()), 'Ann'))],
    [
      'a field with a name of its own',
      invalid([{ field: '+61491570156 Ann', message: 'is not a known field' }]),
    ],
    ['a conflict', conflict('lead', 'ann@example.com', { existingId: 'lead_1' })],
    ['JSON that breaks off', causeOf(() => JSON.parse('{"name": Ann, "phone": "+61491570156"}'))],
    ['a reply that is no JSON', causeOf(() => JSON.parse('"Ann" +61491570156'))],
    ['a number that is none', causeOf(() => BigInt('+61491570156 Ann'))],
    ['a key that is looked for in a text', causeOf(() => 'x' in ('Ann' as unknown as object))],
    ['a field that is set on a text', causeOf(() => Object.assign('Ann', { 0: '+61491570156' }))],
    [
      'pairs that are none',
      causeOf(() => Object.fromEntries(['+61491570156'] as unknown as [string, string][])),
    ],
    ['a method of another object', causeOf(() => anyMap.get.call('Ann' as unknown as typeof anyMap, 1))],
    [
      'a name that is read of nothing',
      causeOf(() => (undefined as unknown as typeof stored.socials)['ann@example.com']),
    ],
    ['a time zone that is none', causeOf(() => new Intl.DateTimeFormat('en', { timeZone: 'Ann' }))],
    ['an argument that Node.js refuses', causeOf(() => Buffer.from('', 'Ann' as BufferEncoding))],
    ['a path with a NUL', causeOf(() => readFileSync('Ann\0'))],
    ['an address that is none', causeOf(() => new URL('Ann +61491570156'))],
    ['an attribute that cannot be stored', causeOf(() => marshall({ name: new Odd() }))],
    ['a text that was thrown', 'Ann'],
    ['an object that was thrown', { message: 'Ann', toString: () => 'Ann' }],
    ['an error whose cause is no error', new Error('No', { cause: { data: 'Ann' } })],
    [
      'a transaction that was cancelled',
      new TransactionCanceledException({
        message: 'Transaction cancelled, please refer cancellation reasons for specific reasons [None]',
        CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: { name: { S: 'Ann' } } }],
        $metadata: {},
      }),
    ],
    ['what cannot be cloned', causeOf(() => structuredClone(() => 'Ann'))],
    ['a text that is no base64', causeOf(() => atob('Ann@+61491570156'))],
    ['a request that an AbortSignal ended', new DOMException('Ann +61491570156', 'AbortError')],
    [
      'a field that its schema does not know',
      causeOf(() => v.parse(v.strictObject({ a: v.optional(v.string()) }), { Ann: 1 })),
    ],
    [
      'a key that its record does not take',
      causeOf(() => v.parse(v.record(v.literal('x'), v.string()), { Ann: '' })),
    ],
    [
      'a key that looks like no field',
      causeOf(() => v.parse(v.record(v.string(), v.string()), { 'ann@example.com': 1 })),
    ],
    [
      'a request whose signature is wrong',
      fault(
        'InvalidSignatureException',
        "The request signature we calculated does not match. The Canonical String for this request should have been\n'POST\n/\nann@example.com'",
      ),
    ],
    // In the words of DynamoDB.
    ...[
      "1 validation error detected: Value '[TransactWriteItem(put=Put(item={name=Ann}))]' at 'transactItems' failed to satisfy constraint",
      'One or more parameter values were invalid: Input collection [Ann, Ann] contains duplicates.',
      'The BETWEEN operator requires upper bound; lower bound operand: AttributeValue: {S:Ann}, upper bound operand: AttributeValue: {S:ann@example.com}',
      'The parameter cannot be converted to a numeric value: +61491570156',
      'Invalid UpdateExpression: Syntax error; token: Ann, near: +61491570156',
    ].map((message): [string, unknown] => [message, fault('ValidationException', message)]),
  ];

  test.each(cases)('%s', (_, error) => {
    const failed = new Error('Something is wrong', { cause: error });
    const text = JSON.stringify(
      [error, failed, new AggregateError([failed])].map((one) => describeError(one)),
    );
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test('an error whose message was changed later: the stack has the first message', () => {
    const error = causeOf(() => JSON.parse('{"name": Ann}')) as Error;
    error.message +=
      '\n  Deserialization error: to see the raw response, inspect the hidden field {error}.$response.';
    const later = new Error('Ann');
    later.message = 'Another';
    const text = JSON.stringify([describeError(error), describeError(later)]);
    expect(text).not.toContain('Ann');
    expect(text).toContain('describe-error.test.ts');
  });

  test('an error whose message has lines that look like a stack', () => {
    const described = describeError(causeOf(() => v.parse(v.literal('x'), stored.phone)));
    expect(JSON.stringify(described)).not.toContain('at home');
    expect(described.stack).toMatch(/^ValiError: value: expected "x"\n {4}at /);
  });
});

describe('a description has what helps:', () => {
  test.each([
    [
      causeOf(() => v.parse(v.object({ phone: v.literal(''), a: v.number() }), stored)),
      'phone: expected ""; a: expected "a"',
    ],
    [
      invalid([
        { field: 'x', message: 'is required' },
        { field: '', message: 'is odd' },
      ]),
      'is required; is odd',
    ],
    [new Error('A write without an event'), 'A write without an event'],
    [
      causeOf(() => (undefined as unknown as Error).message),
      "Cannot read properties of undefined (reading 'message')",
    ],
    [
      causeOf(() => {
        (stored as unknown as { phone: () => void }).phone();
      }),
      'stored.phone is not a function',
    ],
    [
      fault(
        'ValidationException',
        'One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N',
      ),
      'One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N',
    ],
    [
      new ResourceNotFoundException({ message: 'Requested resource not found', $metadata: {} }),
      'Requested resource not found',
    ],
    [
      fault('AccessDeniedException', 'User: a is not authorized to perform: b'),
      'User: a is not authorized to perform: b',
    ],
  ])('%s', (error, message) => {
    const described = describeError(error);
    expect(described.message).toBe(message);
    expect(described.name).toBe((error as Error).name);
    expect(Boolean(described.stack)).toBe(!(error instanceof Failure));
  });

  test('the causes, up to a limit', () => {
    const error = new Error('Round and round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).length).toBeLessThan(20_000);
    expect(describeError(unavailable(new Error('throttled'))).cause).toMatchObject({ message: 'throttled' });
  });

  test('an error without a name, a message or a stack', () => {
    const odd = Object.assign(new Error('No'), { name: undefined, message: undefined, stack: undefined });
    expect(describeError(odd)).toEqual({ name: '', message: '', stack: ': ' });
  });

  test('the beginning of a long name, message and stack', () => {
    const long = new Error('x'.repeat(5000));
    long.name = 'y'.repeat(5000);
    const { name, message, stack } = describeError(long);
    expect([name?.length, message.length]).toEqual([100, 1000]);
    expect(stack!.length).toBeGreaterThan(1100);
    long.stack = Array.from({ length: 1000 }, () => '    at one (file:1:1)').join('\n');
    expect(describeError(long).stack).toHaveLength(4000);
  });

  test.each([
    ['errors of errors of errors', (depth: number): Error => deep(depth, 'Something is wrong')],
    [
      'errors that say much, in characters that take much',
      (depth: number): Error => deep(depth, '\u0001'.repeat(9999)),
    ],
  ])('%s, in less than 60 KB of a line', (_, errorOf) => {
    const described = describeError(errorOf(5));
    expect(Buffer.byteLength(JSON.stringify(described))).toBeLessThan(60_000);
    expect(described.more).toBeGreaterThan(0);
  });

  test('five of many errors, and the number of the others', () => {
    const { errors, more } = describeError(
      new AggregateError(Array.from({ length: 100 }, () => new Error('No'))),
    );
    expect(errors).toHaveLength(5);
    expect(more).toBe(95);
    expect(describeError(new AggregateError([new Error('No')]))).not.toHaveProperty('more');
  });
});
