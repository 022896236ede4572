import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SynthesisError } from '../synthesis-error.ts';

/** The ARN of what SMS are sent from: a phone number, a pool of them, or a sender id of AWS End User Messaging SMS. */
export type OriginationIdentity = string;

const arn = /^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/;

/**
 * The identity given as `-c smsOriginationIdentity=…`; undefined when none was.
 * @throws SynthesisError for anything but an ARN, since the permission to send is for that identity alone.
 */
export function parseOriginationIdentity(value: unknown): OriginationIdentity | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && arn.test(value)) return value;
  throw new SynthesisError(
    `The smsOriginationIdentity is ${JSON.stringify(value)}, but it must be the ARN of a phone number, a pool or a sender id, ` +
      'such as arn:aws:sms-voice:us-east-1:123456789012:phone-number/phone-0123456789abcdef0',
  );
}

/** The environment and permission of a function that sends SMS. */
export function sendingSms(identity: OriginationIdentity): {
  environment: Record<string, string>;
  policy: PolicyDocument;
} {
  const statement = new PolicyStatement({ actions: ['sms-voice:SendTextMessage'], resources: [identity] });
  return {
    environment: { SMS_ORIGINATION_IDENTITY: identity },
    policy: new PolicyDocument({ statements: [statement] }),
  };
}
