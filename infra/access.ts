import { Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Access } from '../shared/endpoints/endpoint.ts';
import type { LedgerTable } from './table.ts';

/** Reads, as DynamoDB actions: those of a snapshot's or a transaction's parts are asked for each by itself. */
const reads: Record<Access, string[]> = {
  none: [],
  get: ['dynamodb:GetItem'],
  list: ['dynamodb:GetItem'],
  write: ['dynamodb:GetItem'],
  delete: ['dynamodb:GetItem'],
};

/** Changes, as DynamoDB actions. They are allowed in a transaction alone, and so is every write of the ledger. */
const changes: Record<Access, string[]> = {
  none: [],
  get: [],
  list: [],
  write: ['dynamodb:PutItem'],
  delete: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
};

/** Exactly what a function with this access may do to the table and its indexes; undefined for nothing. */
export function accessPolicy(access: Access, table: LedgerTable): PolicyDocument | undefined {
  const statements = [
    allow(reads[access], [table.tableArn]),
    allow(access === 'list' ? ['dynamodb:Query'] : [], [table.tableArn, ...table.indexArns]),
    allow(changes[access], [table.tableArn], {
      'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
    }),
  ].filter((statement) => statement.actions.length > 0);
  return statements.length === 0 ? undefined : new PolicyDocument({ statements });
}

function allow(
  actions: string[],
  resources: string[],
  conditions: Record<string, unknown> = {},
): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
}
