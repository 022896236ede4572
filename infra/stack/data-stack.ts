import { CfnOutput, RemovalPolicies, RemovalPolicy } from 'aws-cdk-lib/core';
import { CfnBackupVault } from 'aws-cdk-lib/aws-backup';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { camel, pascal, type Contracts } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import type { StageSettings } from './settings-schema.ts';
import {
  alarmTopicOutput,
  likeOutput,
  secretsKeyOutput,
  logGroupNameOf,
  logKinds,
  parameterNameOf,
  smsTopicOutput,
  stackNameOf,
  tableNameOutput,
  topicNameOf,
} from './resource-names.ts';
import { BackupCopy } from './backup-copy.ts';
import type { Stage } from './stage.ts';
import { StageStack } from './stage-stack.ts';
import { LedgerTable } from './table.ts';
import { AwsTopic } from './aws-topic.ts';
import { receivesTexts, TextQueues } from './text-queues.ts';

interface Props {
  stage: Stage;
  settings: StageSettings;
  contracts: Pick<Contracts, 'workers'>;
}

/**
 * The data of a stage, which must outlive the service: the table, the logs, the topic of SMS, the topic of
 * alarms, and the key of secrets. Phone numbers know the topic of SMS, and people have confirmed their
 * subscriptions to the topic of alarms. The SMS that come in wait in a queue, which is data, too. The service finds the
 * data by its names, or by parameters with values that AWS chose, and never changes it.
 *
 * In a stage like `dev` the data is deleted with the stack. In other stages all but the topic of SMS, the parameters
 * and the plan of backups outlives the stack, unless the deployment that created it failed.
 */
export class DataStack extends StageStack {
  constructor(scope: Construct, id: string, { stage, settings, contracts }: Props) {
    super(scope, id, { stage, settings });
    const logGroups = logKinds.map(
      (kind) =>
        new LogGroup(this, `${pascal(kind)}Log`, {
          logGroupName: logGroupNameOf(stage, kind),
          retention: settings.logRetentionDays,
        }),
    );
    const smsTopic = settings.sms
      ? new AwsTopic(this, 'Texts', { topicName: topicNameOf(stage, 'texts'), publishers: ['sms-voice'] })
      : undefined;
    const textQueues = contracts.workers
      .filter(({ worker }) => receivesTexts(worker))
      .flatMap(({ worker }) => new TextQueues(this, { stage, worker, topic: smsTopic }).queues);
    // The topic also exists without addresses, so that other receivers can subscribe.
    const alarms = new AwsTopic(this, 'Alarms', {
      topicName: topicNameOf(stage, 'alarms'),
      publishers: settings.backupVaultArn === undefined ? ['cloudwatch'] : ['cloudwatch', 'events'],
    });
    const addresses = settings.alarmAddresses === 'none' ? [] : settings.alarmAddresses;
    for (const address of addresses) alarms.addSubscription(new EmailSubscription(address));
    acknowledge(alarms, {
      'Serverless-SNSRedrivePolicy':
        'SNS tries to deliver an email for hours, and an alarm that nobody read still shows in CloudWatch.',
    });
    const secretsKey = new Key(this, 'SecretsKey', {
      description: `${stackNameOf(stage)}: the secrets of webhooks and of keys`,
      enableKeyRotation: true,
    });
    const table = new LedgerTable(this, { stage, settings });
    // Last, because a failed first deployment cannot delete a protected table: a name that is taken fails first.
    // The table does not come after resources that a deleted stack does not leave: an import of the remaining
    // resources would lack them.
    for (const { node } of [...logGroups, ...textQueues, alarms, secretsKey])
      if (node.defaultChild) table.node.addDependency(node.defaultChild);
    const { tableArn } = table;
    const backupCopy =
      settings.backupVaultArn === undefined
        ? undefined
        : new BackupCopy(this, 'Backup', { stage, tableArn, vaultArn: settings.backupVaultArn, alarms });
    RemovalPolicies.of(this).apply(
      settings.like === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      // An address that leaves the settings gets no more email.
      { excludeResourceTypes: [CfnSubscription.CFN_RESOURCE_TYPE_NAME] },
    );

    // The topic holds nothing, and a new topic has the same ARN. If the topic stayed when the setting `sms` is
    // turned off, its name would be taken when the setting is turned on again.
    if (smsTopic) RemovalPolicies.of(smsTopic).apply(RemovalPolicy.DESTROY);
    // A plan that stayed without the setting would go on. AWS deletes no vault with backups in it.
    if (backupCopy)
      RemovalPolicies.of(backupCopy).apply(RemovalPolicy.DESTROY, {
        excludeResourceTypes: [CfnBackupVault.CFN_RESOURCE_TYPE_NAME],
      });

    const parameters = [
      ['table-stream-arn', table.tableStreamArn],
      ['secrets-key-arn', secretsKey.keyArn],
    ] as const;
    for (const [kind, stringValue = ''] of parameters) {
      const parameterName = parameterNameOf(stage, kind);
      // The parameter holds nothing that another deployment would not write again.
      const parameter = new StringParameter(this, pascal(camel(kind)), { parameterName, stringValue });
      RemovalPolicies.of(parameter).apply(RemovalPolicy.DESTROY);
    }

    const outputs = [
      [tableNameOutput, table.tableName, 'Where everything is kept'],
      ...(smsTopic
        ? [[smsTopicOutput, smsTopic.topicArn, 'Where phone numbers tell of texts that come in'] as const]
        : []),
      [alarmTopicOutput, alarms.topicArn, 'Where alarms tell that they start and end'],
      [likeOutput, settings.like, 'Whether the data is real: prod, or dev'],
      [secretsKeyOutput, secretsKey.keyArn, 'Encrypts the secrets of webhooks and of keys'],
    ] as const;
    for (const [name, value, description] of outputs) new CfnOutput(this, name, { value, description });
  }
}
