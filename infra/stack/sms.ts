import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet } from 'aws-cdk-lib/aws-smsvoice';
import type { CfnTopicPolicy, ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as v from 'valibot';
import { stackNameOf, textsTopicOutput, type Stage } from './stage.ts';

const what =
  'the ARN of a phone number, a pool or a sender id, ' +
  'such as arn:aws:sms-voice:us-east-1:123456789012:phone-number/phone-0123456789abcdef0';

/**
 * What SMS are sent from where an organization has no number of its own: a phone number, a pool of them, or a sender id of
 * AWS End User Messaging SMS. Nothing but its ARN, since the permission to send is for that identity.
 */
export const OriginationIdentity = v.pipe(
  v.string(what),
  v.regex(/^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/, what),
);
export type OriginationIdentity = v.InferOutput<typeof OriginationIdentity>;

/** What every text is sent with: it says where reports of delivery go. */
const configurationSetNameOf = (stage: Stage) => `${stackNameOf(stage)}-texts`;

/** What a function needs that sends SMS. */
export interface SmsSending {
  environment: Record<string, string>;
  policy: PolicyDocument;
  /** Findings of cdk-nag about the policy, with the reasons why they stay. */
  acknowledged: Record<string, string>;
}

interface SendingProps {
  stage: Stage;
  /** What is sent from where an organization has no number of its own. */
  identity: OriginationIdentity | undefined;
}

/**
 * What lets functions of a stage send SMS: from any number of the account, since `number add` gives organizations theirs
 * after the deployment, and from the identity that is set.
 *
 * The configuration set is named too: AWS's list of actions does not say whether its own permission is asked for.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_pinpoint-sms-voice-v2.html
 */
export function sendingSms(scope: Construct, { stage, identity }: SendingProps): SmsSending {
  const configurationSet = configurationSetNameOf(stage);
  const arnOf = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({
      service: 'sms-voice',
      resource,
      resourceName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  const statement = new PolicyStatement({
    actions: ['sms-voice:SendTextMessage'],
    resources: [
      arnOf('phone-number', '*'),
      arnOf('configuration-set', configurationSet),
      ...(identity === undefined ? [] : [identity]),
    ],
  });
  return {
    environment: {
      SMS_CONFIGURATION_SET: configurationSet,
      ...(identity !== undefined && { SMS_ORIGINATION_IDENTITY: identity }),
    },
    policy: new PolicyDocument({ statements: [statement] }),
    acknowledged: {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sms-voice:<AWS::Region>:<AWS::AccountId>:phone-number/*]':
        'Organizations get their numbers after the deployment, by the operator: it may send from any number of the account, and do nothing else with one.',
    },
  };
}

/**
 * The types of reports that can be the last one of a text. Those on the way to it (queued, pending) would be a run of the
 * worker each, and change nothing.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-types.html
 */
const lastEvents = [
  'TEXT_DELIVERED',
  'TEXT_SUCCESSFUL',
  'TEXT_BLOCKED',
  'TEXT_CARRIER_BLOCKED',
  'TEXT_CARRIER_UNREACHABLE',
  'TEXT_INVALID',
  'TEXT_INVALID_MESSAGE',
  'TEXT_PROTECT_BLOCKED',
  'TEXT_SPAM',
  'TEXT_TTL_EXPIRED',
  'TEXT_UNKNOWN',
  'TEXT_UNREACHABLE',
];

interface TextsProps {
  stage: Stage;
  /** The topic of the worker that is told what comes in; without one, reports go nowhere. */
  topic: ITopic | undefined;
  /** Without it the service may not publish to the topic: so it is there first. */
  topicPolicy: CfnTopicPolicy | undefined;
}

/** The configuration set that every text of a stage is sent with, and the output that numbers need to tell of texts that come in. */
export class Texts extends CfnConfigurationSet {
  constructor(scope: Construct, id: string, { stage, topic, topicPolicy }: TextsProps) {
    super(scope, id, {
      configurationSetName: configurationSetNameOf(stage),
      ...(topic && {
        eventDestinations: [
          {
            eventDestinationName: 'reports',
            enabled: true,
            matchingEventTypes: lastEvents,
            snsDestination: { topicArn: topic.topicArn },
          },
        ],
      }),
    });
    if (topicPolicy) this.addResourceDependency(topicPolicy);
    if (!topic) return;
    const output = new CfnOutput(this, 'Topic', {
      value: topic.topicArn,
      description: 'Where phone numbers tell of texts that come in',
    });
    output.overrideLogicalId(textsTopicOutput);
  }
}
