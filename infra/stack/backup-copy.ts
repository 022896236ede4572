import { ArnFormat, Duration, Stack } from 'aws-cdk-lib/core';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupSelection,
  BackupVault,
} from 'aws-cdk-lib/aws-backup';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { stackNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  tableArn: string;
  /** Vault in another account. */
  vaultArn: string;
  /** Topic that emails alarms. */
  alarms: ITopic;
}

/** Time that a failed copy can be repeated in. */
const kept = Duration.days(3);
/** Time of a copy. Point-in-time recovery reaches back as long, so docs/guides/erasing.md has one time for all backups. */
const copyKept = Duration.days(35);

/**
 * Daily backup of the table, and its copy in another account. Who takes over this account cannot delete the copy. The
 * other account must let the copy in: docs/operations.md, A copy in another account.
 */
export class BackupCopy extends Construct {
  constructor(scope: Construct, id: string, { stage, tableArn, vaultArn, alarms }: Props) {
    super(scope, id);
    // AWS Backup encrypts backups of DynamoDB by the key of the vault that they are in, and a copy by the other key.
    const vault = new BackupVault(this, 'Vault', { backupVaultName: stackNameOf(stage) });
    const destinationBackupVault = BackupVault.fromBackupVaultArn(this, 'Copies', vaultArn);
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: stackNameOf(stage),
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: Schedule.cron({ minute: '0', hour: '5' }),
          deleteAfter: kept,
          copyActions: [{ destinationBackupVault, deleteAfter: copyKept }],
        }),
      ],
    });
    new BackupSelection(this, 'Table', {
      backupPlan: plan,
      resources: [BackupResource.fromArn(tableArn)],
      role: this.#role(tableArn, vault.backupVaultArn, vaultArn),
      disableDefaultBackupPolicy: true,
    });
    // Nobody looks at backups, so their failures are told as alarms are.
    const failures = new Rule(this, 'Failures', {
      description: `${stackNameOf(stage)}: backups and copies that failed`,
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { resourceArn: [tableArn], state: ['FAILED', 'ABORTED', 'EXPIRED'] },
      },
      targets: [{ bind: () => ({ arn: alarms.topicArn }) }],
    });
    acknowledge(failures, {
      'Serverless-EventBusDLQ':
        'EventBridge tries for a day, and an event that nobody read still shows in the list of jobs.',
    });
  }

  /**
   * Role of AWS Backup, with what AWS's own policy AWSBackupServiceRolePolicyForBackup grants for a table:
   * https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSBackupServiceRolePolicyForBackup.html
   */
  #role(tableArn: string, ownVaultArn: string, otherVaultArn: string): Role {
    const stack = Stack.of(this);
    const backups = stack.formatArn({
      service: 'backup',
      resource: 'recovery-point',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const allow = (resources: string[], ...actions: string[]) => new PolicyStatement({ actions, resources });
    const statements = [
      allow(
        [tableArn],
        ...['DescribeTable', 'ListTagsOfResource', 'StartAwsBackupJob'].map((action) => `dynamodb:${action}`),
      ),
      allow([ownVaultArn, otherVaultArn], 'backup:DescribeBackupVault'),
      allow([otherVaultArn], 'backup:CopyIntoBackupVault'),
      allow([backups], 'backup:CopyFromBackupVault', 'backup:TagResource'),
    ];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      inlinePolicies: { backup: new PolicyDocument({ statements }) },
    });
    acknowledge(role, {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:backup:<AWS::Region>:<AWS::AccountId>:recovery-point:*]':
        'Nobody knows the id of a backup before AWS Backup makes it.',
    });
    return role;
  }
}
