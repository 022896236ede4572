import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib/core';
import {
  ManagedPolicy,
  OidcProviderNative,
  PolicyDocument,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import type { PipelineSettings } from './pipeline-settings.ts';
import { dataStackNameOf, stackNameOf, tableNameOf } from './resource-names.ts';
import type { Model, Stage } from './stage.ts';

/** No stage has this name of a stack: the name of a stage has no hyphen. */
export const pipelineStackName = 'SalesPipeline-github-roles';

/** Name of GitHub's identity provider. */
const issuer = 'token.actions.githubusercontent.com';

/** Environment of GitHub whose jobs only read the stage. No person approves them. */
const checksOf = (stage: Stage) => `${stage}-checks`;

/**
 * Roles for the workflows of `.github/workflows`, which an operator deploys once: docs/deploying-from-ci.md. GitHub
 * signs who runs a job, and AWS gives the job a role for the signature. So no key is stored. Each role trusts one
 * environment of one repository.
 */
export class PipelineStack extends Stack {
  readonly #repository: string;
  readonly #provider: string;

  constructor(scope: Construct, id: string, { repository, stages, provider }: PipelineSettings) {
    super(scope, id, { tags: { service: 'SalesPipeline' } });
    this.#repository = repository;
    this.#provider =
      provider === 'make'
        ? new OidcProviderNative(this, 'GitHub', {
            url: `https://${issuer}`,
            clientIds: ['sts.amazonaws.com'],
          }).oidcProviderArn
        : this.formatArn({ service: 'iam', region: '', resource: 'oidc-provider', resourceName: issuer });
    for (const { stage, like } of stages) {
      this.#deployRole(stage, like);
      this.#checkRole(stage);
    }
  }

  /** Role that deploys a stage by the roles of `cdk bootstrap`, watches its alarms, and tests a stage like `dev`. */
  #deployRole(stage: Stage, like: Model): void {
    const statements = [
      this.#assumeBootstrap('deploy', 'file-publishing', 'lookup'),
      new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: this.#stacksOf(stage) }),
      // The call knows no resources.
      new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
      ...(like === 'dev' ? this.#testing(stage) : []),
    ];
    this.#role(`${pascal(stage)}Deploy`, stage, { pipeline: new PolicyDocument({ statements }) });
  }

  /**
   * Role that compares a stage with the code and with its stacks, and verifies its data. Detecting drift takes the
   * permission to read each kind of resource. The role for look-ups of `cdk bootstrap` has the same policy of AWS.
   */
  #checkRole(stage: Stage): void {
    const statements = [
      this.#assumeBootstrap('lookup'),
      new PolicyStatement({
        actions: ['cloudformation:DetectStackDrift', 'cloudformation:DetectStackResourceDrift'],
        resources: this.#stacksOf(stage),
      }),
    ];
    const role = this.#role(`${pascal(stage)}Checks`, checksOf(stage), {
      pipeline: new PolicyDocument({ statements }),
    });
    role.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('ReadOnlyAccess'));
    acknowledge(role, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/ReadOnlyAccess]':
        'CloudFormation reads every resource of the stacks with the permissions of who detects drift.',
    });
  }

  #role(id: string, environment: string, inlinePolicies: Record<string, PolicyDocument>): Role {
    const assumedBy = new WebIdentityPrincipal(this.#provider, {
      StringEquals: {
        [`${issuer}:aud`]: 'sts.amazonaws.com',
        [`${issuer}:sub`]: `repo:${this.#repository}:environment:${environment}`,
      },
    });
    const description = `Jobs of the environment ${environment} of ${this.#repository}`;
    const role = new Role(this, id, { assumedBy, description, inlinePolicies });
    new CfnOutput(this, `${id}Role`, {
      value: role.roleArn,
      description: `AWS_ROLE of the environment ${environment} of GitHub`,
    });
    return role;
  }

  /** Names: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-customizing.html */
  #assumeBootstrap(...names: string[]): PolicyStatement {
    const { account, region } = this;
    return new PolicyStatement({
      actions: ['sts:AssumeRole'],
      resources: names.map((name) => this.#iamRole(`cdk-hnb659fds-${name}-role-${account}-${region}`)),
    });
  }

  /** Permissions of `npm run test:deployed`: docs/operations.md, Testing a deployed stack. */
  #testing(stage: Stage): PolicyStatement[] {
    const table = this.formatArn({
      service: 'dynamodb',
      resource: 'table',
      resourceName: tableNameOf(stage),
    });
    return [
      new PolicyStatement({
        actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(
          (action) => `dynamodb:${action}`,
        ),
        resources: [table, `${table}/index/*`],
      }),
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        resources: [this.#iamRole(`${stackNameOf(stage)}-LeadingKeysProbe*`)],
      }),
    ];
  }

  #stacksOf(stage: Stage): string[] {
    return [stackNameOf(stage), dataStackNameOf(stage)].map((name) =>
      this.formatArn({
        service: 'cloudformation',
        resource: 'stack',
        resourceName: `${name}/*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    );
  }

  #iamRole(resourceName: string): string {
    return this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName });
  }
}
