import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { findContracts } from '../../infra/functions.ts';
import { scopesFor } from '../support/scopes-for.ts';
import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { neededFirst, testedOperation, type TestedRequest } from '../support/operations.ts';
import {
  clientAt,
  foundOrganizationAt,
  type StoredOrganization,
  type TableAddress,
} from '../support/stored-organization.ts';
import { fill } from '../support/filled-records.ts';

/** A request, and its answer. */
interface Told {
  what: string;
  status: number;
  /** Headers that the contract names. */
  headers: Record<string, string>;
  body: unknown;
}

const told = ['content-type', 'etag', 'location', 'retry-after', 'server-timing', 'preference-applied'];
/** Values of chance and time, with the words that stand for them. */
const chance: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME'],
  [/\b1[78]\d{8}(\d{3})?\b/g, '1'],
  [/(?<="milliseconds":)\d+/g, '1'],
  [/\d{1,2}:\d\d in the \w+/g, 'TIME'],
  [/(?<=[a-z]_)[0-9A-Z]{8}(?=\d{8}\b|")/g, 'CODE'],
  [/(?<=")[\w-]{22}(?=\\?")/g, 'CHANCE'],
  [/(?<=W\/\\")[\w-]{16}/g, 'CHANCE'],
  [/(?<="epoch":")\w+/g, 'CHANCE'],
  [/localhost:\d+/g, 'localhost'],
  [/whsec_[\w+/=]+|sk_\w+|[\w+/]{60,}={0,2}/g, 'SECRET'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
];

/** Writes a value without chance, time and the code of its organization. */
function plain(value: unknown, { code }: StoredOrganization): unknown {
  const text = JSON.stringify(inOrder(value)).replaceAll(code, 'CODE');
  return JSON.parse(
    chance.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), text),
  ) as unknown;
}

/** Orders the fields of objects by their names: the engine returns the fields of a map in any order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, inOrder(field)] as const);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Sends each operation requests that succeed, and requests that must be refused. */
export async function answersOf(
  baseUrl: string,
  table: TableAddress,
): Promise<{ organization: StoredOrganization; answers: unknown }> {
  const { operations } = await findContracts();
  const [organization, stranger] = [await foundOrganizationAt(table), await foundOrganizationAt(table)];
  const records = await fill(organization);
  const answers: Told[] = [];

  for (const { operationId, endpoint } of operations.toSorted(neededFirst)) {
    const tokenOf = (of: StoredOrganization) =>
      of.issueToken({
        scopes: scopesFor(endpoint),
        sites: ['https://a.example'],
      });
    const token = await tokenOf(organization);
    const request = (n: number) => testedOperation(operationId).request(records, n);
    const good = request(900);
    const nowhere = Object.fromEntries(Object.keys(good.params ?? {}).map((name) => [name, '9999']));
    const bad: [string, TestedRequest, string?][] = [
      ['without a token', good, ''],
      ['by another organization', request(901), await tokenOf(stranger)],
      ['of an unknown id', { ...good, params: nowhere }],
      ['with an unknown parameter', { ...good, query: { ...good.query, unknown: 1 } }],
      ...(good.body
        ? ([
            ['with an empty body', { ...good, body: {} }],
            ['with an unknown field', { ...good, body: { ...good.body, unknown: 1 } }],
            ['with null fields', { ...good, body: nullsOf(good.body) }],
          ] satisfies [string, TestedRequest][])
        : []),
    ];
    const send = async (what: string, parts: TestedRequest, by = token) => {
      answers.push({ what: `${operationId} ${what}`, ...(await answer(baseUrl, endpoint, parts, by)) });
    };
    for (const one of bad) await send(...one);
    await send('that succeeds', good);
    await send('that comes again', good);
  }
  return { organization, answers: plain(answers, organization) };
}

const nullsOf = (body: object) => Object.fromEntries(Object.keys(body).map((name) => [name, null]));

async function answer(
  baseUrl: string,
  endpoint: Endpoint,
  { params = {}, query = {}, body }: TestedRequest,
  token: string,
): Promise<Omit<Told, 'what'>> {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  if (isKeyed(endpoint)) url.searchParams.set('key', token);
  const response = await fetch(url, {
    method: endpoint.method,
    headers: {
      Prefer: 'cost',
      ...(token && !isKeyed(endpoint) && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const headers = told.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

/** Items of an organization, in the order of their keys. */
export async function storedBy(
  organization: StoredOrganization,
  { endpoint, tableName }: TableAddress,
): Promise<unknown> {
  const client = DynamoDBDocumentClient.from(clientAt({ endpoint: endpoint! }));
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: tableName, ExclusiveStartKey }));
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  const own = items.filter((item) => String(item['pk']).includes(organization.code));
  const keyOf = ({ pk, sk }: Record<string, unknown>) => `${String(pk)} ${String(sk)}`;
  return own
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
    .map((item) => plain(item, organization));
}
