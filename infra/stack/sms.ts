import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet } from 'aws-cdk-lib/aws-smsvoice';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as v from 'valibot';
import type { ServiceUse } from './service-function.ts';
import { stackNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

const what =
  'the ARN of a phone number, a pool or a sender id, ' +
  'such as arn:aws:sms-voice:us-east-1:123456789012:phone-number/phone-0123456789abcdef0';

/**
 * ARN of the sender of SMS for an organization without its own number: a phone number, pool or sender id of
 * AWS End User Messaging SMS. The value must be an ARN, because the permission to send names that identity.
 */
export const OriginationIdentity = v.pipe(
  v.string(what),
  v.regex(/^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/, what),
);
export type OriginationIdentity = v.InferOutput<typeof OriginationIdentity>;

/** Name of the configuration set that every SMS is sent with. The set says where delivery reports go. */
const configurationSetNameOf = (stage: Stage) => `${stackNameOf(stage)}-texts`;

interface SendingProps {
  stage: Stage;
  /** Sender for organizations without their own number. */
  identity: OriginationIdentity | undefined;
}

/**
 * Lets functions of a stage send SMS from any number of the account, and from the identity that is set. Any
 * number is needed because `number add` gives organizations their numbers after the deployment.
 *
 * The policy names the configuration set, too: AWS's list of actions does not say whether the set needs its
 * own permission.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_pinpoint-sms-voice-v2.html
 */
export function sendingSms(scope: Construct, { stage, identity }: SendingProps): ServiceUse {
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
    name: 'sms',
    environment: {
      SMS_CONFIGURATION_SET: configurationSet,
      ...(identity !== undefined && { SMS_ORIGINATION_IDENTITY: identity }),
    },
    policy: new PolicyDocument({ statements: [statement] }),
    acknowledged: {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sms-voice:<AWS::Region>:<AWS::AccountId>:phone-number/*]':
        'The operator gives organizations their numbers after the deployment. So the function may send from any number of the ' +
        'account, and may do nothing more with a number.',
    },
  };
}

/**
 * Report types that can be the last of an SMS. Reports before the last (queued, pending) would each run the
 * worker without changing anything.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-types.html
 */
const finalReportTypes = [
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

interface SmsConfigurationProps {
  stage: Stage;
  /** Topic of delivery reports. */
  topic: ITopic;
}

/** Configuration set that every SMS of a stage is sent with. */
export class SmsConfiguration extends CfnConfigurationSet {
  constructor(scope: Construct, id: string, { stage, topic }: SmsConfigurationProps) {
    super(scope, id, {
      configurationSetName: configurationSetNameOf(stage),
      eventDestinations: [
        {
          eventDestinationName: 'reports',
          enabled: true,
          matchingEventTypes: finalReportTypes,
          snsDestination: { topicArn: topic.topicArn },
        },
      ],
    });
  }
}
