import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  baseUrlOutput,
  smsTopicOutput,
  stackNameOf,
  tableNameOutput,
  type DeployedStage,
} from '../stack/stage.ts';
import { AdminError, messageOf } from './admin-error.ts';

/**
 * Looks up the outputs and the connection of a stage's stack. @throws AdminError that names what is missing:
 * region, credentials or stack
 */
export async function findStack(stage: DeployedStage) {
  const client = new CloudFormationClient({
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  const StackName = stackNameOf(stage);
  const deploy = `deploy it with "npx cdk deploy -c stage=${stage}"`;
  try {
    const region = await checkSettings(client.config);
    const describing = client.send(new DescribeStacksCommand({ StackName }));
    const { Stacks } = await describing.catch((error: unknown) => {
      const reason = messageOf(error);
      throw new AdminError(
        reason.includes('does not exist')
          ? `There is no stack ${StackName} in ${region} of this AWS account: ${deploy}, or set AWS_PROFILE and AWS_REGION to where it is.`
          : `The stack ${StackName} cannot be looked up in ${region} (${reason}): check AWS_PROFILE, AWS_REGION and what you may do there.`,
      );
    });
    const stack = Stacks?.[0];
    const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
    const tableName = outputs.get(tableNameOutput);
    if (tableName === undefined) {
      const status = stack?.StackStatus ?? 'not there';
      throw new AdminError(
        `The stack ${StackName} in ${region} has no output ${tableNameOutput} (it is ${status}): ${deploy}.`,
      );
    }
    const [baseUrl, topicArn] = [outputs.get(baseUrlOutput), outputs.get(smsTopicOutput)];
    return { tableName, baseUrl, topicArn, region, credentials: client.config.credentials };
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
