import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { keepWarmWorker } from '../../shared/contract/keep-warm.ts';
import { tokenPattern } from '../../shared/domain/tokens/token.ts';
import { functionalRunLog } from '../support/machine/functional-run-log.ts';
import { leavesOf } from '../support/json-leaves.ts';
import { privateOf, valuesIn } from '../support/private-values.ts';
import { readLogged, readSent, searchable } from '../support/machine/run-log.ts';
import { engine } from '../support/test-organization.ts';

/** Example of a phone number or of a time in a refusal. Clients send the same ones. */
const ownExample = /such as (?:[\dT:-]+Z or [\dT:+-]+|[+(]?\d[\d ()-]{5,}\d)/g;

/** Lines of all logs, requests of clients and items of the table, after the functional tests. */
let lines: string[];
let logged: string;
let sent: string[];
let items: unknown[];
beforeAll(async () => {
  const runLog = await functionalRunLog();
  lines = readLogged(runLog);
  logged = searchable(lines).replaceAll(ownExample, 'such as …');
  sent = readSent(runLog);
  items = await wholeTable();
});

async function wholeTable(): Promise<unknown[]> {
  const client = clientOf(engine);
  const documents = DynamoDBDocumentClient.from(client);
  const found: unknown[] = [];
  for await (const { Items = [] } of paginateScan({ client: documents }, { TableName: inject('tableName') }))
    found.push(...Items);
  client.destroy();
  return found;
}

/** Length of a token's secret part: 30 random characters between the prefix and the checksum. */
const secretLength = 30;
const secretOf = (token: string) => token.slice('sk_test_'.length).slice(0, secretLength);

/** Returns the secrets of the tokens that requests had. */
const secretsSent = () => {
  const tokens = sent.flatMap((text) => new RegExp(tokenPattern).exec(text) ?? []);
  return new Set(tokens.map(secretOf));
};

/** Returns the secrets in a text, and everything that looks like a token. */
function tokensIn(text: string): string[] {
  const secrets = secretsSent();
  const found: string[] = [...(text.match(/sk_(?:live|test)_/gi) ?? [])];
  for (const [run] of text.matchAll(/[0-9A-Za-z]{30,}/g)) {
    for (let at = 0; at + secretLength <= run.length; at++) {
      const part = run.slice(at, at + secretLength);
      if (secrets.has(part)) found.push(part);
    }
  }
  return found;
}

const secretOfOne = () => [...secretsSent()][0]!;

test('there is something to search', async () => {
  const { operations, workers } = await findContracts();
  const all = lines.join('\n');
  const named = [
    ...operations.map(({ endpoint }) => `"${endpoint.method} ${endpoint.path}"`),
    // The tests of keep-warm are among the deep proofs: its lines have only a count.
    ...workers.flatMap(({ worker }) => (worker === keepWarmWorker ? [] : `"${worker.name}"`)),
    // Lines of the authorizer, of an error that a function threw, and of the access log.
    ...['"authorize"', 'Error: Unauthorized', '"/{proxy+}"'],
  ];
  expect(named.filter((name) => !all.includes(name))).toEqual([]);
  expect(secretsSent().size).toBeGreaterThan(10);
});

test('the table has no token, whole or in part', () => {
  const text = JSON.stringify(items);
  expect(text).toContain('TOKEN#');
  expect(tokensIn(text)).toEqual([]);
  expect(tokensIn(`${text} ${secretOfOne()}`)).toHaveLength(1);
});

/**
 * Names of key attributes, which hold codes and numbers. The key of a unique value holds the value, as its
 * record does.
 */
const keyAttributes = /^(?:pk|sk|\w+pk|\w+sk)$/;

/** Kinds of values that the tests send, and another way to write each. */
const sorts: [RegExp, (value: string) => string][] = [
  [/^[\w.]+@example\.com$/, (email) => email.toUpperCase()],
  [/^\+61\d{9}$/, (phone) => phone.replace(/\+61(\d{3})(\d{3})/, '0$1 $2 ')],
  [/^\w+ \w+ \w+/, (text) => text.toLowerCase()],
  [/^\p{Lu}\p{Ll}{5,}$/u, (name) => name],
];

describe('the logs', () => {
  test('have no token, whole or in part', () => {
    const text = lines.join('\n');
    expect(tokensIn(text)).toEqual([]);
    expect(tokensIn(`${text} x${secretOfOne()}x`)).toHaveLength(1);
  });

  test('have no value that clients sent or that is stored', () => {
    const values = privateOf([...sent, ...leavesOf(items, keyAttributes).texts]);
    expect(valuesIn(logged, values)).toEqual([]);
    // Proves that a value of each kind would be found in any form.
    for (const [sort, written] of sorts) {
      const value = [...values].find((one) => sort.test(one))!;
      const line = JSON.stringify({ error: { message: `Failed for ${written(value)}: try again` } });
      expect(valuesIn(searchable([line]), values)).toContain(value);
    }
  });

  test('have nothing that looks like an email address or a phone number', () => {
    expect(logged.match(/[\w.+-]+@[\w-]+\.[a-z]{2,}/gi) ?? []).toEqual([]);
    // The groups of a request's id can look like a number.
    const withoutIds = logged.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '');
    expect(withoutIds.match(/(?:\+|\b00)\d[\d ()-]{6,}\d/g) ?? []).toEqual([]);
  });
});
