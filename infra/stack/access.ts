import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { permissionsOf, type Permission, type Reach } from '../../shared/ledger/index.ts';
import type { LedgerTable } from './table.ts';

/**
 * Policy that allows the actions of a reach on its items and indexes, and nothing else. Undefined if the
 * reach is empty.
 */
export function accessPolicy(reach: Reach, table: LedgerTable): PolicyDocument | undefined {
  const statements = permissionsOf(reach).map((permission) => statementFor(permission, table));
  return statements.length === 0 ? undefined : new PolicyDocument({ statements, minimize: true });
}

/**
 * Conditions:
 *
 * - `ForAllValues`: each key of a call must match one of the patterns. DynamoDB requires this operator:
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 * - `Null`: without it, `ForAllValues` also allows a call for which DynamoDB names no key, such as a scan:
 *   https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 * - `EnclosingOperation`: a transaction needs the permissions of its parts.
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
function statementFor({ action, on, keys, within }: Permission, table: LedgerTable): PolicyStatement {
  return new PolicyStatement({
    actions: [`dynamodb:${action}`],
    resources: resourcesOf(on, table),
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys].sort() },
      Null: { 'dynamodb:LeadingKeys': 'false' },
      ...(within && { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': [within] } }),
    },
  });
}

/** ARNs to allow. A query needs permission on its index, not on the table. */
function resourcesOf(on: Permission['on'], table: LedgerTable): string[] {
  switch (on) {
    case 'table':
      return [table.tableArn];
    case 'list indexes':
      return table.listIndexArns;
    case 'search indexes':
      return table.searchIndexArns;
    case 'due index':
      return [table.dueIndexArn];
  }
}
