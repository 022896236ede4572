import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { accesses, turnKeyPattern, type Access } from '../../shared/ledger/index.ts';
import type { LedgerTable } from './table.ts';

type Action = (typeof accesses)[Access][number];

/** What a function with this access may do to the table and its indexes, and no more; undefined for nothing. */
export function accessPolicy(access: Access, table: LedgerTable): PolicyDocument | undefined {
  const statements = accesses[access].map((action) => statementFor(action, table));
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
      return new PolicyStatement({ actions: ['dynamodb:Query'], resources: table.listIndexArns });
    case 'Query due':
      return new PolicyStatement({ actions: ['dynamodb:Query'], resources: [table.dueIndexArn] });
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
