import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { probePermissions } from '../../shared/ledger/index.ts';
import { tablePolicy, type ServedTable } from './service-function.ts';

/**
 * Role by which `npm run test:deployed` asks where DynamoDB supplies `dynamodb:LeadingKeys`: each of its statements requires
 * the key. Whoever in the account may assume roles may assume it. It reaches no item.
 */
export class LeadingKeysProbe extends Role {
  constructor(scope: Construct, id: string, { table }: { table: ServedTable }) {
    const policy = tablePolicy(probePermissions, { table, requireLeadingKeys: true });
    super(scope, id, { assumedBy: new AccountRootPrincipal(), inlinePolicies: { table: policy } });
  }
}
