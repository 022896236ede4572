import { tableArnOf } from '../../../infra/local/arns.ts';
import type { PermissionCheck, Statement } from '../../../infra/local/role.ts';
import { tableNameOf } from '../../../infra/stack/resource-names.ts';
import { dueIndex, listIndexes, searchIndexes } from '../../../shared/ledger/index.ts';

const ofQueues = [
  'ReceiveMessage',
  'DeleteMessage',
  'ChangeMessageVisibility',
  'GetQueueAttributes',
  'GetQueueUrl',
];
const ofStreams = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
const lambdas = new Set([
  ...ofQueues.map((operation) => `sqs:${operation}`),
  ...ofStreams.map((operation) => `dynamodb:${operation}`),
]);

/**
 * True for what Lambda does itself by a function's role: it writes the log, takes messages out of the queue, and reads the
 * stream. The local machine checks at its start that the role allows the latter two.
 */
const isLambdas = (action: string) => action.startsWith('logs:') || lambdas.has(action);

/** Permissions of a role, without the permissions that Lambda uses itself. */
export function allowedBy(role: readonly Statement[]): Set<string> {
  return new Set(
    role.flatMap(({ Action, Resource, Condition = {} }) => {
      const keys = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? [undefined];
      const operations = Condition['ForAnyValue:StringEquals']?.['dynamodb:EnclosingOperation'] ?? [
        undefined,
      ];
      return Action.filter((action) => !isLambdas(action)).flatMap((action) =>
        Resource.flatMap((resource) =>
          keys.flatMap((key) =>
            operations.map((operation) => permission({ action, resource, key, operation })),
          ),
        ),
      );
    }),
  );
}

/** The narrowest permissions that allow a request. */
export function permissionsNeededBy({
  action,
  resource,
  enclosing,
  leadingKeys,
}: Omit<PermissionCheck, 'functionName' | 'isAllowed'>): string[] {
  const isAlone = /:(Update|Delete)Item$/.test(action) && enclosing !== 'TransactWriteItems';
  const keys = leadingKeys?.map(isAlone ? lonePatternOf : patternOf) ?? [undefined];
  return [...new Set(keys)].map((key) => {
    // A read needs no permission for transactions alone, except of the last uses of tokens.
    const isInOne = enclosing === 'TransactWriteItems' || key === 'TOKEN#*';
    return permission({ action, resource, key, operation: isInOne ? enclosing : undefined });
  });
}

const permission = (parts: {
  action: string;
  resource: string;
  key: string | undefined;
  operation: string | undefined;
}): string => {
  const { action, resource, key, operation } = parts;
  const keys = key === undefined ? '' : ` of ${key}`;
  return `${action} on ${kindOf(resource)}${keys}${operation === undefined ? '' : ` in ${operation}`}`;
};

/** Kind of a resource of the stack; the resource itself if its kind is unknown. */
function kindOf(resource: string): string {
  const [table = '', index] = resource.split('/index/');
  if (index === dueIndex) return 'the due index';
  if (listIndexes.some((name) => name === index)) return 'a list index';
  if (searchIndexes.some((name) => name === index)) return 'a text index';
  if (index !== undefined) return index;
  if (resource.includes(':phone-number/')) return 'a phone number';
  return table === tableArnOf(tableNameOf('dev')) ? 'the table' : resource;
}

/** The data model's pattern for a partition key: docs/data-model.md, Items. */
const patternOf = (key: string) =>
  key.replace(/^(ORG|TOKEN|NUMBER)#.+$/s, '$1#*').replace(/^(DUE#[^#]+)#\d$/, '$1#*');

/**
 * The pattern for a key that is written outside a transaction: each kind of such item has a separate pattern.
 */
const lonePatternOf = (key: string) =>
  key
    .replace(/^TOKEN#.+$/s, 'TOKEN#*')
    .replace(/^ORG#\w{8}#(TURN|CURSOR|PREPARED)$/, 'ORG#????????#$1')
    .replace(/^ORG#\w{8}#(DELIVERY|ANSWER)#.+$/, 'ORG#????????#$1#*');
