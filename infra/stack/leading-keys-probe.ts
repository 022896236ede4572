import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { probePermissions } from '../../shared/ledger/index.ts';
import { tablePolicy, type ServedTable } from './service-function.ts';

/**
 * Role that `npm run test:deployed` assumes, to ask where DynamoDB supplies `dynamodb:LeadingKeys`. Each statement
 * requires the key. Anyone in the account who may assume roles may assume this role, because the role reaches no item.
 */
export class LeadingKeysProbe extends Role {
  constructor(scope: Construct, id: string, { table }: { table: ServedTable }) {
    const policy = tablePolicy(probePermissions, { table, requireLeadingKeys: true });
    super(scope, id, { assumedBy: new AccountRootPrincipal(), inlinePolicies: { table: policy } });
  }
}
