import { App } from 'aws-cdk-lib/core';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolve } from '../../../infra/local/intrinsics.ts';
import { root } from '../../../infra/root.ts';
import { pipelineSettingsOf } from '../../../infra/stack/pipeline-settings.ts';
import { PipelineStack } from '../../../infra/stack/pipeline-stack.ts';
import { templateWith, type Resource } from '../../support/template/made-up-stack.ts';
import { newFolder } from '../../support/new-folder.ts';

interface RoleProperties {
  AssumeRolePolicyDocument: { Statement: object[] };
  ManagedPolicyArns?: string[];
  Policies: { PolicyDocument: { Statement: { Action: string | string[]; Resource: string | string[] }[] } }[];
}

/** Resources of the pipeline's stack. */
function pipelineWith(context: Record<string, string> = {}): [id: string, Resource][] {
  const folder = newFolder();
  const app = new App({ outdir: folder });
  new PipelineStack(app, 'Pipeline', pipelineSettingsOf({ repository: 'acme@1/sales@2', ...context }));
  app.synth();
  const template = JSON.parse(readFileSync(join(folder, 'Pipeline.template.json'), 'utf8')) as {
    Resources: Record<string, Resource>;
  };
  return Object.entries(resolve(template.Resources) as Record<string, Resource>);
}

const resources = pipelineWith();

/** Properties of the role for an environment. */
function roleOf(environment: string, among = resources): RoleProperties {
  const subject = `"repo:acme@1/sales@2:environment:${environment}"`;
  const found = among.filter(([, resource]) => JSON.stringify(resource).includes(subject));
  expect(found).toHaveLength(1);
  return found[0]![1].Properties as unknown as RoleProperties;
}

const actionsOf = ({ Policies }: RoleProperties) =>
  Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).flatMap(({ Action, Resource }) =>
    [Action].flat().map(
      (action) =>
        `${action} ${[Resource]
          .flat()
          .map((arn) => arn.replace(/^arn:(?:[^:]*:){4}/, ''))
          .join(' ')}`,
    ),
  );

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
const inWorkflows = (pattern: RegExp) =>
  workflows.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found));

describe('the roles of the pipeline', () => {
  test('are for the environments that the workflows name, each of this repository alone', () => {
    const stages = ['dev', 'prod'];
    const named = inWorkflows(/^ +environment: (.+)$/gm).flatMap((name) =>
      name.includes('matrix.stage') ? stages.map((stage) => name.replace(/\$\{\{.*\}\}/, stage)) : [name],
    );
    const environments = [...new Set(named)].sort();
    expect(environments).toEqual(['dev', 'dev-checks', 'prod', 'prod-checks']);
    for (const environment of environments)
      expect(roleOf(environment).AssumeRolePolicyDocument.Statement).toMatchObject([
        {
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: {
            StringEquals: {
              'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
              'token.actions.githubusercontent.com:sub': `repo:acme@1/sales@2:environment:${environment}`,
            },
          },
        },
      ]);
    expect(resources.filter(([, { Type }]) => Type === 'AWS::IAM::Role')).toHaveLength(environments.length);
  });

  const bootstrap = (name: string) => expect.stringMatching(`role/cdk-hnb659fds-${name}-role-`) as string;
  test('deploy by the roles of the bootstrap, and write to a table only where the tests run', () => {
    const [assumes, ...rest] = actionsOf(roleOf('prod'));
    expect(assumes!.split(' ')).toEqual([
      'sts:AssumeRole',
      ...['deploy', 'file-publishing', 'lookup'].map(bootstrap),
    ]);
    expect(rest).toEqual([
      'cloudformation:DescribeStacks stack/SalesPipeline-prod/* stack/SalesPipeline-prod-data/*',
      'cloudwatch:DescribeAlarms *',
    ]);
    const [assumesThere, describes, alarms, ...tests] = actionsOf(roleOf('dev'));
    expect(assumesThere).toBe(assumes);
    expect([describes, alarms].map((action) => action!.replaceAll('-dev', '-prod'))).toEqual(rest);
    expect(tests).toEqual([
      ...['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(
        (action) => `dynamodb:${action} table/SalesPipeline-dev table/SalesPipeline-dev/index/*`,
      ),
      'sts:AssumeRole role/SalesPipeline-dev-LeadingKeysProbe*',
    ]);
  });

  test.each([
    ['qa:dev', true],
    ['staging:prod', false],
  ])('write to the table of another stage only if it is like dev: %s', (named, writes) => {
    const among = pipelineWith({ stages: `prod,${named}` });
    const actions = actionsOf(roleOf(named.split(':')[0]!, among));
    expect(actions.some((action) => action.startsWith('dynamodb:PutItem'))).toBe(writes);
  });

  test('for checks only read, and detect drift of their own stacks', () => {
    const role = roleOf('prod-checks');
    expect(role.ManagedPolicyArns).toEqual([expect.stringMatching(/:policy\/ReadOnlyAccess$/)]);
    const [detects, ...rest] = actionsOf(role).filter((action) => !action.startsWith('sts:'));
    expect([detects, ...rest]).toEqual(
      ['DetectStackDrift', 'DetectStackResourceDrift'].map(
        (action) => `cloudformation:${action} stack/SalesPipeline-prod/* stack/SalesPipeline-prod-data/*`,
      ),
    );
    const [assumes] = actionsOf(role).filter((action) => action.startsWith('sts:'));
    expect(assumes!.split(' ')).toEqual(['sts:AssumeRole', bootstrap('lookup')]);
  });

  test.each([
    ['make', 1],
    ['keep', 0],
  ])('trust the identity provider, also one that the account has: %s', (provider, count) => {
    const made = pipelineWith({ provider }).filter(([, { Type }]) => Type === 'AWS::IAM::OIDCProvider');
    expect(made).toHaveLength(count);
  });
});

describe('the workflows', () => {
  test('pin each action to a commit', () => {
    const actions = inWorkflows(/\buses: (.+)$/gm);
    expect(actions.length).toBeGreaterThan(5);
    expect(
      actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ).toEqual([]);
  });

  test('roll back by alarms that prod has, and that nobody raises by made-up tokens', () => {
    const alarms = templateWith().of('AWS::CloudWatch::Alarm');
    const names = alarms.map(([, { Properties }]) => Properties['AlarmName']);
    const watched = inWorkflows(/triggers=\((.+)\)$/gm).flatMap((all) => all.split(' '));
    expect(watched).toHaveLength(2);
    expect(watched).not.toContain('SalesPipeline-prod-LockedOut');
    expect(names).toEqual(expect.arrayContaining(watched));
  });
});

test.each<readonly [Record<string, string>, string]>([
  [
    {},
    'The repository must be the repository as GitHub names it in the claim sub, such as acme@123456/sales@456789',
  ],
  [{ repository: 'acme/*' }, 'The repository must be the repository as GitHub names it'],
  [{ repository: 'acme@1/sales' }, 'The repository must be the repository as GitHub names it'],
  [
    { repository: 'a/b', stages: 'dev,dev' },
    'The stages must be names of stages with a comma between them, each once',
  ],
  ...['local', 'staging', 'staging:qa', 'prod:dev', 'qa:dev:dev', 'x-data:dev'].map(
    (stages) => [{ repository: 'a/b', stages }, 'The stages must be names of stages'] as const,
  ),
  [{ repository: 'a/b', provider: 'own' }, 'The provider must be make, or keep if the account has the'],
  [
    { repository: 'a/b', stage: 'dev', stags: 'dev' },
    'There is no setting stags of the pipeline, but there are: repository, stages, provider',
  ],
])('settings without sense are refused in one sentence: %j', (context, sentence) => {
  expect(() => pipelineSettingsOf(context)).toThrow(sentence);
});
