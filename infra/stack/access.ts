import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Access } from '../../shared/contract/endpoint.ts';
import { turnKeyPattern } from '../../shared/ledger/internal/keys.ts';
import type { LedgerTable } from './table.ts';

/**
 * The DynamoDB actions that an access needs, on the table or on its indexes. The parts of a snapshot or a transaction are
 * each an action of their own. A function that may use the table reads an item as it starts; one that writes may
 * take a number of the waiting writers, and give it up.
 */
export const actions = {
  none: [],
  get: ['GetItem'],
  all: ['GetItem', 'Query'],
  page: ['GetItem', 'Query'],
  view: ['GetItem', 'Query index'],
  join: ['GetItem', 'Query', 'Query index', 'BatchGetItem'],
  write: ['GetItem', 'PutItem', 'UpdateItem turn'],
  rename: ['GetItem', 'PutItem', 'DeleteItem', 'UpdateItem turn'],
  delete: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'UpdateItem turn'],
} as const satisfies Record<Access, readonly string[]>;

type Action = (typeof actions)[Access][number];

/** What a function with this access may do to the table and its indexes, and no more; undefined for nothing. */
export function accessPolicy(access: Access, table: LedgerTable): PolicyDocument | undefined {
  const statements = actions[access].map((action) => statementFor(action, table));
  return statements.length === 0 ? undefined : new PolicyDocument({ statements, minimize: true });
}

function statementFor(action: Action, table: LedgerTable): PolicyStatement {
  const named = { actions: [`dynamodb:${action}`] };
  switch (action) {
    case 'GetItem':
    case 'BatchGetItem':
    case 'Query':
      return new PolicyStatement({ ...named, resources: [table.tableArn] });
    case 'Query index':
      return new PolicyStatement({ actions: ['dynamodb:Query'], resources: table.indexArns });
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      // Every write of data is a transaction, so nothing else is allowed to write it.
      return new PolicyStatement({
        ...named,
        resources: [table.tableArn],
        conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] } },
      });
    case 'UpdateItem turn':
      return new PolicyStatement({
        actions: ['dynamodb:UpdateItem'],
        resources: [table.tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [turnKeyPattern] } },
      });
  }
}
