import { appendFileSync, readFileSync } from 'node:fs';
import type { PermissionCheck, OnPermissionCheck, Statement } from '../../infra/local/role.ts';
import { dueIndex, listIndexes, searchIndexes } from '../../shared/ledger/index.ts';

/** What one function asked for, in the words in which `allowedBy` tells what its role allows. */
interface Note {
  functionName: string;
  isAllowed: boolean;
  permissions: string[];
}

/** Notes in a file what functions ask for, each thing once. Several machines may share the file. */
export function recordAskedIn(file: string): OnPermissionCheck {
  const noted = new Set<string>();
  return ({ functionName, isAllowed, ...asked }) => {
    const note: Note = { functionName, isAllowed, permissions: permissionsOf(asked) };
    const line = `${JSON.stringify(note)}\n`;
    if (noted.has(line)) return;
    noted.add(line);
    appendFileSync(file, line);
  };
}

/** What was noted in a file. */
export const readAsked = (file: string): Note[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Note);

/**
 * What Lambda itself does by a function's role: it writes the log, and takes messages out of the queue. That the role allows the
 * latter, the local machine sees to as it starts.
 */
const isLambdas = (action: string) =>
  /^logs:|^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)$/.test(action);

/** All that a role allows, but what Lambda does. */
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

/** The least that allows what was asked for. */
function permissionsOf({
  action,
  resource,
  enclosing,
  leadingKeys,
}: Omit<PermissionCheck, 'functionName' | 'isAllowed'>): string[] {
  // Reads need not be in a transaction.
  const operation = enclosing === 'TransactWriteItems' ? enclosing : undefined;
  const isCounter = action === 'dynamodb:UpdateItem' && operation === undefined;
  const keys = leadingKeys?.map(isCounter ? counterPatternOf : patternOf) ?? [undefined];
  return [...new Set(keys)].map((key) => permission({ action, resource, key, operation }));
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

/** The kind of a resource of the stack, or the resource. */
function kindOf(resource: string): string {
  const [table = '', index] = resource.split('/index/');
  if (index === dueIndex) return 'the due index';
  if (listIndexes.some((name) => name === index)) return 'a list index';
  if (searchIndexes.some((name) => name === index)) return 'a text index';
  if (index !== undefined) return index;
  if (resource.includes(':phone-number/')) return 'a phone number';
  return /:Table\w{8}$/.test(table) ? 'the table' : resource;
}

/** The pattern of the data model that a partition key is like: docs/data-model.md, Items. */
const patternOf = (key: string) =>
  key.replace(/^(ORG|TOKEN|NUMBER)#.+$/s, '$1#*').replace(/^(DUE#[^#]+)#\d$/, '$1#*');

/** The same for what is written outside a transaction: a queue counter alone may be. */
const counterPatternOf = (key: string) => (/^ORG#\w{8}#TURN$/.test(key) ? 'ORG#????????#TURN' : key);
