import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Access } from '../../shared/ledger/index.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { accessPolicy } from './access.ts';
import { sendingSms, type OriginationIdentity } from './sms.ts';
import type { Stage } from './stage.ts';
import type { LedgerTable } from './table.ts';

interface Props {
  stage: Stage;
  table: LedgerTable;
  access: Access;
  /** What it sends SMS from, where it does. */
  smsFrom?: OriginationIdentity | undefined;
  bundle: Bundle;
  description: string;
}

/** One Lambda with a log group and a role of its own, which may do no more than its access says. */
export class EndpointFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { stage, table, access, smsFrom, bundle, description }: Props) {
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage === 'dev' ? RetentionDays.ONE_WEEK : RetentionDays.ONE_YEAR,
      removalPolicy: stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    const tableAccess = accessPolicy(access, table);
    const sms = smsFrom === undefined ? undefined : sendingSms(smsFrom);
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        logs: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [logGroup.logGroupArn],
            }),
          ],
        }),
        ...(tableAccess && { table: tableAccess }),
        ...(sms && { sms: sms.policy }),
      },
    });
    super(scope, id, {
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      // The hash is known already: CDK would read every file for it.
      code: Code.fromAsset(bundle.folder, { assetHash: bundle.hash }),
      // Lambda gives CPU by memory: this is where a cold start stops getting much shorter for the money.
      memorySize: 1024,
      // Under API Gateway's 29 s, with time for a writer to wait its turn.
      timeout: Duration.seconds(15),
      environment: {
        ...(access !== 'none' && { TABLE_NAME: table.tableName }),
        ...sms?.environment,
      },
      logGroup,
      role,
    });
  }
}
