import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ServiceUse } from './service-function.ts';

/**
 * Permission to invoke every function with a name that begins with a prefix. A permission at each function
 * would be a further resource of the stack, and a list of their ARNs would exceed the policy's size.
 */
export function invoking(
  scope: Construct,
  functionPrefix: string,
): Pick<ServiceUse, 'policy' | 'acknowledged'> {
  const functions = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${functionPrefix}*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const statement = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functions] });
  return {
    policy: new PolicyDocument({ statements: [statement] }),
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${functionPrefix}*]`]:
        'Only the functions of this API have the prefix.',
    },
  };
}

/**
 * Lets a function call all functions of the API. Their names come without the prefix, because Lambda takes 4
 * KB of environment: that is enough for 120 names of 30 characters.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const callingFunctions = (
  scope: Construct,
  { functionPrefix, names }: { functionPrefix: string; names: readonly string[] },
): ServiceUse => ({
  name: 'functions',
  environment: { FUNCTION_PREFIX: functionPrefix, FUNCTIONS: names.join(' ') },
  ...invoking(scope, functionPrefix),
});
