import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib/core';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { samLocalDatabase, type Stage } from './stage.ts';

/**
 * Architecture and environment of a stage's functions, which run on Lambda or in a container of `sam local`.
 */
export function runtimeOf(stage: Stage): {
  architecture: Architecture;
  environment: Record<string, string>;
} {
  if (stage !== 'local') return { architecture: Architecture.ARM_64, environment: {} };
  const endpoint = `http://${samLocalDatabase.host}:${samLocalDatabase.port}`;
  return {
    // Docker would emulate a container of another architecture than the computer's.
    architecture: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    // `--env-vars` of `sam local` can override declared variables alone. SAM gives functions the developer's
    // own credentials, so that every call to AWS has to end at the local endpoint.
    environment: { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ENDPOINT_URL: endpoint },
  };
}

/**
 * Lets CloudFormation refuse the template before it creates anything: it checks rules first.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
 */
export function refuseDeployment(stack: Stack): void {
  // A rule compares parameters. The only value of this parameter is not the one that the rule requires.
  const deployment = new CfnParameter(stack, 'Deployment', {
    description: 'A template for sam local cannot be deployed',
    default: 'refused',
    allowedValues: ['refused'],
  });
  new CfnRule(stack, 'NeverDeployed', {
    assertions: [
      {
        assert: Fn.conditionEquals(deployment.valueAsString, 'allowed'),
        assertDescription:
          'The stage local is a template for sam local, and its functions find no database on AWS: deploy the stage dev or ' +
          'prod.',
      },
    ],
  });
}
