import * as v from 'valibot';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { resolve } from '../../infra/local/intrinsics.ts';
import { startRoleGuard } from '../../infra/local/proxies/engine-proxy.ts';
import { Permissions, Statement } from '../../infra/local/role.ts';
import { probeRoleOutput, stackNameOf } from '../../infra/stack/resource-names.ts';
import { startAwsStandIn, stubAws, type AwsAnswer } from '../infra/admin/aws-stand-in.ts';
import { templateOf, templateWith } from '../support/template/made-up-stack.ts';
import { engine } from '../support/test-organization.ts';
import { askLeadingKeys } from './leading-keys.ts';

const { Policies } = templateOf(inject('assembly'), stackNameOf('dev')).one(
  'AWS::IAM::Role',
  'LeadingKeysProbe',
).Properties;
const [{ PolicyDocument }] = v.parse(
  v.tuple([v.object({ PolicyDocument: v.object({ Statement: v.array(Statement) }) })]),
  resolve(Policies),
);
const target = {
  name: 'the stack',
  baseUrl: '',
  tableName: inject('tableName'),
  probeRole: 'arn:aws:iam::1:role/R',
};

const assumed: AwsAnswer = {
  status: 200,
  body:
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
    '<AccessKeyId>Probe</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>y</SessionToken>' +
    '<Expiration>2036-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>',
};
const refused: AwsAnswer = {
  status: 403,
  body: '<ErrorResponse><Error><Code>AccessDenied</Code><Message>You may not assume R</Message></Error></ErrorResponse>',
};

/** Asks a DynamoDB that enforces the role of the template, or another role. */
async function ask({ mayLackLeadingKeys = false, role = PolicyDocument.Statement, sts = assumed } = {}) {
  const guard = await startRoleGuard(engine.endpoint, {
    permissions: new Permissions(() => role),
    mayLackLeadingKeys,
  });
  stubAws({ AWS_ENDPOINT_URL_STS: await startAwsStandIn(() => sts) });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', guard.endpoint);
  const said = await askLeadingKeys(target);
  await guard.close();
  return said;
}
afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['supplies the key', false, 'supplied', 'can be true'],
  ['supplies only documented keys', true, 'not supplied', 'must be false'],
])(
  'a DynamoDB that %s is found out by the role of the stack',
  async (_, mayLackLeadingKeys, answer, setting) => {
    const said = await ask({ mayLackLeadingKeys });
    expect(said.match(/^ {2}\S.*$/gm)).toEqual(
      ['parts of a transaction that reads', 'parts of a transaction that writes', 'queries of an index'].map(
        (kind) => expect.stringMatching(new RegExp(`^  ${kind} +${answer}$`)) as string,
      ),
    );
    expect(said).toContain(`So requireLeadingKeys ${setting}.\n`);
  },
);

test.each([
  ['may not be assumed', { sts: refused }, /: You may not assume R\.\n$/],
  [
    'may not even read its key',
    { role: [] },
    /: The role of Probe does not allow dynamodb:GetItem on .*\.\n$/,
  ],
])('a role that %s is no answer', async (_, changes, why) => {
  expect(await ask(changes)).toMatch(why);
});

test('the role reaches only the key that no item has, and is not in prod', async () => {
  const keys = PolicyDocument.Statement.map(({ Condition }) => [
    Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
    Condition?.Null?.['dynamodb:LeadingKeys'],
  ]);
  expect(keys).toEqual(PolicyDocument.Statement.map(() => [['NOWHERE'], 'false']));
  expect(templateWith().outputs).not.toHaveProperty(probeRoleOutput);
  const said = await askLeadingKeys({ ...target, probeRole: undefined });
  expect(said).toMatch(/only the stack of dev has the role/);
});
