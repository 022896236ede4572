import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { samLocalDatabase, type Stage } from './stage.ts';

/** Where a stage's functions run: Lambda, or a container of `sam local` on this computer. */
export function runtimeOf(stage: Stage): {
  architecture: Architecture;
  environment: Record<string, string>;
} {
  if (stage !== 'local') return { architecture: Architecture.ARM_64, environment: {} };
  const endpoint = `http://${samLocalDatabase.host}:${samLocalDatabase.port}`;
  return {
    // A container of another architecture than the computer's would be emulated.
    architecture: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    // `--env-vars` of `sam local` can override what is declared, and add nothing. SAM gives functions the developer's own
    // credentials: whatever else they may one day ask of AWS has to end there as well.
    environment: { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ENDPOINT_URL: endpoint },
  };
}

/**
 * Lets CloudFormation refuse the template before it creates anything: a rule is checked first.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
 */
export function refuseDeployment(stack: Stack): void {
  // A rule compares parameters. The only value of this one is not the one that is asked for.
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
          'The stage local is a template for sam local, whose functions find no database on AWS: deploy the stage dev or prod.',
      },
    ],
  });
  // What the CDK writes: a `DependsOn` besides a reference. `sam validate --lint` takes no other word for it.
  stack.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
}
