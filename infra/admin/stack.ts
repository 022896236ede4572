import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  baseUrlOutput,
  dataStackNameOf,
  likeOutput,
  probeRoleOutput,
  secretsKeyOutput,
  smsTopicOutput,
  stackNameOf,
  tableNameOutput,
} from '../stack/resource-names.ts';
import { optionsOf, type Model, type Stage } from '../stack/stage.ts';
import { AdminError, messageOf } from './admin-error.ts';

/**
 * Looks up the data of a stage, and the connection to it. The `topicArn` is undefined if SMS is off. @throws
 * AdminError that names what is missing: region, credentials, stack or output
 */
export async function findData(stage: Stage) {
  const { output, outputs, ...connection } = await findStack(dataStackNameOf(stage), stage);
  return {
    tableName: output(tableNameOutput),
    model: modelOf(stage, outputs.get(likeOutput)),
    topicArn: outputs.get(smsTopicOutput),
    secretsKey: () => output(secretsKeyOutput),
    ...connection,
  };
}

/**
 * Looks up the address of a stage's API, and the role that `npm run test:deployed` assumes, if the stage has it. @throws
 * AdminError as `findData`
 */
export async function findService(stage: Stage) {
  const { output, outputs } = await findStack(stackNameOf(stage), stage);
  return { baseUrl: output(baseUrlOutput), probeRole: outputs.get(probeRoleOutput) };
}

/** Stage that a stage is like. `prod` is only like itself, whatever its stack says. */
const modelOf = (stage: Stage, like: string | undefined): Model =>
  stage === 'prod' || like === 'prod' ? 'prod' : 'dev';

async function findStack(StackName: string, stage: Stage) {
  const client = new CloudFormationClient({
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  const deploy = `deploy it with "npx cdk deploy --all ${optionsOf(stage)}"`;
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
    const output = (name: string): string => {
      const value = outputs.get(name);
      if (value !== undefined) return value;
      const status = stack?.StackStatus ?? 'not there';
      throw new AdminError(
        `The stack ${StackName} in ${region} has no output ${name} (it is ${status}): ${deploy}.`,
      );
    };
    return { output, outputs, region, credentials: client.config.credentials };
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
