import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Reach } from '../../shared/ledger/index.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { acknowledge } from './acknowledge.ts';
import { accessPolicy } from './access.ts';
import { sendingSms, type OriginationIdentity } from './sms.ts';
import type { LedgerTable } from './table.ts';

interface Props extends Reach {
  functionName: string;
  /** Where it logs: a group that it shares. */
  logGroup: ILogGroup;
  table: LedgerTable;
  /** The origination identity, if it sends SMS. */
  smsFrom?: OriginationIdentity | undefined;
  /** What else its role allows, by a name for each. */
  policies?: Record<string, PolicyDocument>;
  bundle: Bundle;
  description: string;
  /** How long one invocation may take; an endpoint's unless given. */
  timeoutSeconds?: number;
}

/** How long an endpoint's function may take: under API Gateway's 29 s, with time for a writer to wait its turn. */
const endpointTimeoutSeconds = 15;

/** One Lambda with a role of its own, which may do no more than its access and policies say. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: Props) {
    const { functionName, logGroup, table, access, smsFrom, policies, bundle, description } = props;
    const { timeoutSeconds = endpointTimeoutSeconds } = props;
    const tableAccess = accessPolicy(props, table);
    const sms = smsFrom === undefined ? undefined : sendingSms(smsFrom);
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        logs: new PolicyDocument({
          statements: [
            // Not `CreateLogGroup`: a function that runs on while its stack goes would leave a group behind.
            new PolicyStatement({
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [logGroup.logGroupArn],
            }),
          ],
        }),
        ...(tableAccess && { table: tableAccess }),
        ...(sms && { sms: sms.policy }),
        ...policies,
      },
    });
    super(scope, id, {
      functionName,
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      // Given, so that CDK need not read every file.
      code: Code.fromAsset(bundle.folder, { assetHash: bundle.hash }),
      // Lambda assigns CPU by memory. Beyond this, cold starts get hardly shorter for the price.
      memorySize: 1024,
      timeout: Duration.seconds(timeoutSeconds),
      environment: {
        ...(access !== 'none' && { TABLE_NAME: table.tableName }),
        ...sms?.environment,
      },
      logGroup,
      // So that triggers cannot add permissions to the role.
      role: role.withoutPolicyUpdates(),
    });
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'API Gateway waits for an endpoint, and tells the client of a failure. What a worker fails at goes to its queue of dead letters, by its source or its failure destination.',
      'Serverless-LambdaTracing':
        'Each request is a line of log with its id, its time and the capacity it used. X-Ray would need permissions on everything (*) in every role.',
    });
  }
}
