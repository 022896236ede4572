import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { keyNamesOf } from '../../shared/ledger/index.ts';
import { tableArnOf } from './arns.ts';

export const OneOrMore = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((value) => [value].flat()),
);

/** A policy statement of a kind that this machine can evaluate. Any other is refused at start. */
export const Statement = v.strictObject({
  Effect: v.literal('Allow'),
  Action: OneOrMore,
  Resource: OneOrMore,
  Condition: v.optional(
    v.strictObject({
      'ForAllValues:StringLike': v.optional(v.strictObject({ 'dynamodb:LeadingKeys': OneOrMore })),
      Null: v.optional(v.strictObject({ 'dynamodb:LeadingKeys': v.literal('false') })),
      'ForAnyValue:StringEquals': v.optional(v.strictObject({ 'dynamodb:EnclosingOperation': OneOrMore })),
    }),
  ),
});
export type Statement = v.InferOutput<typeof Statement>;

/** A permission that a call to AWS needs. */
export interface Permission {
  action: string;
  resource: string;
  /** Enclosing operation, such as `TransactWriteItems`. */
  enclosing?: string;
  /** Partition keys that the call names, of an index if it queries one. Undefined if it names none. */
  leadingKeys?: string[] | undefined;
}

/** A permission that a function needed, and whether its role has it. */
export interface PermissionCheck extends Permission {
  functionName: string;
  isAllowed: boolean;
}

/** Receives every permission that functions need. */
export type OnPermissionCheck = (check: PermissionCheck) => void;

/** Function and operation of a request in an AWS JSON protocol. The access key id is the function's name. */
export function callOf({ headers }: IncomingMessage): { functionName: string; operation: string } {
  const [, functionName = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  return { functionName, operation };
}

const Target = v.object({
  TableName: v.string(),
  Key: v.optional(v.unknown()),
  Item: v.optional(v.unknown()),
});
const Call = v.object({
  ...v.partial(Target).entries,
  IndexName: v.optional(v.string()),
  KeyConditionExpression: v.optional(v.string(), ''),
  ExpressionAttributeNames: v.optional(v.record(v.string(), v.string()), {}),
  ExpressionAttributeValues: v.optional(v.record(v.string(), v.unknown()), {}),
  TransactItems: v.optional(v.array(v.record(v.string(), Target)), []),
  RequestItems: v.optional(v.record(v.string(), v.unknown()), {}),
});
type Call = v.InferOutput<typeof Call>;

const partActions: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * Lists the permissions that a call needs. A transaction needs those of its parts, as in DynamoDB.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function requiredPermissions(operation: string, input: unknown): Permission[] {
  const call = v.parse(Call, input);
  const { TableName: table, IndexName: index, TransactItems, RequestItems } = call;
  const action = `dynamodb:${operation}`;
  const parts = TransactItems.flatMap((item) => Object.entries(item)).map(([part, target]) => {
    const name = partActions[part] ?? part;
    const leadingKeys = keysOf(name, target);
    return {
      action: `dynamodb:${name}`,
      resource: tableArnOf(target.TableName),
      enclosing: operation,
      leadingKeys,
    };
  });
  if (parts.length > 0) return parts;
  if (table !== undefined) {
    const resource = index === undefined ? tableArnOf(table) : `${tableArnOf(table)}/index/${index}`;
    const leadingKeys = operation === 'Query' ? queriedKeys(call) : keysOf(operation, call);
    return [{ action, resource, leadingKeys }];
  }
  const tables = Object.entries(RequestItems);
  // For example, a PartiQL call names the table in its statements. No function has that permission.
  if (tables.length === 0) return [{ action, resource: '*' }];
  return tables.map(([name, request]) => ({
    action,
    resource: tableArnOf(name),
    leadingKeys: v.is(Batch, request) ? request.Keys.map(({ pk }) => pk.S) : undefined,
  }));
}

/**
 * The same permission, with keys only if AWS documents that DynamoDB supplies keys to conditions. AWS does so for calls on a
 * table. AWS does not for parts of a transaction and for queries of an index.
 */
export const asDocumented = (permission: Permission): Permission =>
  permission.enclosing === undefined && !permission.resource.includes('/index/')
    ? permission
    : { ...permission, leadingKeys: undefined };

const Text = v.object({ S: v.string() });
const Keyed = v.object({ pk: Text });
const Batch = v.object({ Keys: v.array(Keyed) });

/** Partition key of the one item that an action is on. */
function keysOf(action: string, { Key, Item }: { Key?: unknown; Item?: unknown }): string[] | undefined {
  const key = action === 'PutItem' ? Item : Key;
  return v.is(Keyed, key) ? [key.pk.S] : undefined;
}

const queryPattern =
  /^(#?\w+) = (:\w+)(?: AND (?:(#?\w+) (?:[<>]?=|[<>]|BETWEEN :\w+ AND) :\w+|begins_with\((#?\w+), :\w+\)))?$/;

/**
 * Partition key of a query. Undefined, which no role allows, unless the condition has the ledger's form:
 * `<partition key> = :value`, alone or with one condition on the sort key.
 */
function queriedKeys({
  IndexName: index = '',
  KeyConditionExpression: condition,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
}: Call): string[] | undefined {
  // Key names of an index derive from its name; those of the table are `pk` and `sk`.
  const { pkName, skName } = keyNamesOf(index);
  const [, name = '', value = '', compared = '', begun = ''] = queryPattern.exec(condition) ?? [];
  const attributeOf = (text: string) => (text.startsWith('#') ? names[text] : text);
  if (attributeOf(name) !== pkName || !['', skName].includes(attributeOf(compared || begun) ?? '#'))
    return undefined;
  const key = values[value];
  return v.is(Text, key) ? [key.S] : undefined;
}

/** True if statements of a role allow a permission. */
export function allows(statements: readonly Statement[], permission: Permission): boolean {
  const { action, resource } = permission;
  return statements.some(
    ({ Action, Resource, Condition = {} }) =>
      Action.includes(action) &&
      Resource.some((pattern) => pattern === resource || isLike(resource, pattern)) &&
      holds(Condition, permission),
  );
}

/** Permissions of functions, by their roles. */
export class Permissions {
  readonly #roleOf: (functionName: string) => readonly Statement[];
  readonly #onCheck: OnPermissionCheck;

  constructor(
    roleOf: (functionName: string) => readonly Statement[],
    onCheck: OnPermissionCheck = () => undefined,
  ) {
    this.#roleOf = roleOf;
    this.#onCheck = onCheck;
  }

  /** True if a function's role allows a permission. */
  allows(functionName: string, permission: Permission): boolean {
    return allows(this.#roleOf(functionName), permission);
  }

  /** True if a function's role allows a permission. Reports the check. */
  check(functionName: string, permission: Permission): boolean {
    const isAllowed = this.allows(functionName, permission);
    this.#onCheck({ functionName, ...permission, isAllowed });
    return isAllowed;
  }
}

/** Message for a call without a permission. */
export const deniedMessage = (functionName: string, { action, resource }: Permission): string =>
  `The role of ${functionName} does not allow ${action} on ${resource}`;

/**
 * Evaluates conditions as IAM does. All of them must hold. `ForAllValues` also holds without any value.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
function holds(
  condition: NonNullable<Statement['Condition']>,
  { enclosing, leadingKeys = [] }: Permission,
): boolean {
  const patterns = condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const operations = condition['ForAnyValue:StringEquals']?.['dynamodb:EnclosingOperation'];
  return (
    (!patterns || leadingKeys.every((key) => patterns.some((pattern) => isLike(key, pattern)))) &&
    (!condition.Null || leadingKeys.length > 0) &&
    (!operations || (enclosing !== undefined && operations.includes(enclosing)))
  );
}

/** Compares as IAM's `StringLike` does: `*` stands for any text, `?` for any one character. */
export function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su').test(text);
}
