import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  baseUrlOutput,
  stackNameOf,
  tableNameOutput,
  smsTopicOutput,
  type DeployedStage,
} from '../stack/stage.ts';
import { AdminError, messageOf } from './admin-error.ts';

/** Outputs and connection of a deployed stack. */
interface DeployedStack {
  tableName: string;
  baseUrl: string | undefined;
  textsTopicArn: string | undefined;
  region: string;
  credentials: NonNullable<DynamoDBClientConfig['credentials']>;
}

/** Looks up a stage's stack. @throws AdminError that names what is missing: region, credentials or stack */
export async function findStack(stage: DeployedStage): Promise<DeployedStack> {
  const client = new CloudFormationClient({
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    const region = await checkSettings(client.config);
    const { credentials } = client.config;
    const stack = await describe(client, stage, region);
    const outputOf = (name: string) =>
      stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    const tableName = outputOf(tableNameOutput);
    if (tableName === undefined) {
      throw new AdminError(
        `The stack ${stackNameOf(stage)} in ${region} has no output ${tableNameOutput} (it is ${stack?.StackStatus ?? 'not there'}): ` +
          `deploy it with "npx cdk deploy -c stage=${stage}".`,
      );
    }
    return {
      tableName,
      baseUrl: outputOf(baseUrlOutput),
      textsTopicArn: outputOf(smsTopicOutput),
      region,
      credentials,
    };
  } finally {
    client.destroy();
  }
}

/** Checks region and credentials. Returns the region. @throws AdminError that names the missing one */
export async function checkSettings(config: {
  region: () => Promise<string>;
  credentials: () => Promise<unknown>;
}): Promise<string> {
  const region = await config.region().catch(() => {
    throw new AdminError(
      'There is no AWS region: set AWS_REGION to the one that the stack is in, or AWS_PROFILE to a profile that has it.',
    );
  });
  await config.credentials().catch((error: unknown) => {
    throw new AdminError(
      `There are no AWS credentials that work: set AWS_PROFILE to a profile that has them (${messageOf(error)}).`,
    );
  });
  return region;
}

async function describe(
  client: CloudFormationClient,
  stage: DeployedStage,
  region: string,
): Promise<Stack | undefined> {
  const StackName = stackNameOf(stage);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    const reason = messageOf(error);
    if (reason.includes('does not exist')) {
      throw new AdminError(
        `There is no stack ${StackName} in ${region} of this AWS account: deploy it with "npx cdk deploy -c stage=${stage}", ` +
          'or set AWS_PROFILE and AWS_REGION to where it is.',
      );
    }
    throw new AdminError(
      `The stack ${StackName} cannot be looked up in ${region} (${reason}): check AWS_PROFILE, AWS_REGION and what you may do there.`,
    );
  }
}
