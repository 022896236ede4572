/** Parts of a resource that AWS's rules are about. */
interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string | string[];
}

interface Statement {
  Sid?: string;
  Action: string | string[];
}

/**
 * Reasons for AWS to refuse the deployment of a template, among the reasons that no linter and no emulator
 * knows:
 *
 * - SNS: "Every policy statement must have a unique ID", and "Policy statement action out of service scope"
 *   for `sns:*`. https://docs.aws.amazon.com/sns/latest/dg/AccessPolicyLanguage_SpecialInfo.html
 * - API Gateway: an account takes a log role only after the first API. A stage takes an access log only after
 *   the account has the role.
 *   https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-apigateway-account.html
 * - Lambda: "Queue visibility timeout … is less than Function timeout".
 * - WAF: two rules have the same priority, or an answer's body is not defined.
 * - CloudWatch: a dashboard of another region has the name, because "all dashboards in your account are
 *   global". https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html
 */
export function awsRefusals(resources: Readonly<Record<string, Resource>>): string[] {
  const of = (...types: string[]) => Object.entries(resources).filter(([, { Type }]) => types.includes(Type));
  const refersTo = (value: unknown, id: string) => JSON.stringify(value).includes(`["${id}",`);
  const dependsOnOneOf = ({ DependsOn = [] }: Resource, type: string) =>
    of(type).length === 0 || of(type).some(([id]) => [DependsOn].flat().includes(id));

  const policies = of('AWS::SNS::TopicPolicy').flatMap(([id, { Properties }]) => {
    const { Statement } = Properties['PolicyDocument'] as { Statement: Statement[] };
    const ids = new Set(Statement.map(({ Sid }) => Sid));
    return [
      ...(ids.size < Statement.length || ids.has(undefined) ? [`${id}: a statement lacks a unique Sid`] : []),
      ...(Statement.some(({ Action }) => [Action].flat().includes('sns:*')) ? [`${id}: sns:*`] : []),
    ];
  });
  const accounts = of('AWS::ApiGateway::Account')
    .filter(([, account]) => !dependsOnOneOf(account, 'AWS::ApiGateway::RestApi'))
    .map(([id]) => `${id}: waits for no RestApi`);
  const stages = of('AWS::ApiGateway::Stage')
    .filter(
      ([, stage]) =>
        'AccessLogSetting' in stage.Properties && !dependsOnOneOf(stage, 'AWS::ApiGateway::Account'),
    )
    .map(([id]) => `${id}: does not wait for the account's role`);
  const functions = new Map(of('AWS::Lambda::Function').map(([id, { Properties }]) => [id, Properties]));
  const sources = of('AWS::Lambda::EventSourceMapping').flatMap(([id, { Properties }]) => {
    const queue = of('AWS::SQS::Queue').find(([name]) => refersTo(Properties['EventSourceArn'], name));
    if (!queue) return [];
    const { Ref } = Properties['FunctionName'] as { Ref: string };
    const visible = Number(queue[1].Properties['VisibilityTimeout'] ?? 30);
    return visible < Number(functions.get(Ref)!['Timeout'])
      ? [`${id}: a message comes back while its function runs`]
      : [];
  });
  const acls = of('AWS::WAFv2::WebACL').flatMap(([id, { Properties }]) => {
    const rules = Properties['Rules'] as { Priority: number; Action?: object }[];
    const bodies = Object.keys(Properties['CustomResponseBodies'] ?? {});
    const keys = [...JSON.stringify(rules).matchAll(/"CustomResponseBodyKey":"([^"]+)"/g)];
    return [
      ...(new Set(rules.map(({ Priority }) => Priority)).size < rules.length
        ? [`${id}: equal priorities`]
        : []),
      ...keys.flatMap(([, key]) => (bodies.includes(key!) ? [] : [`${id}: there is no body ${key!}`])),
    ];
  });
  const dashboards = of('AWS::CloudWatch::Dashboard')
    .filter(([, { Properties }]) => !JSON.stringify(Properties['DashboardName']).includes('AWS::Region'))
    .map(([id]) => `${id}: has the same name in every region`);
  return [...policies, ...accounts, ...stages, ...sources, ...acls, ...dashboards];
}
