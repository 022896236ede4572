import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as v from 'valibot';

const what =
  'the ARN of a phone number, a pool or a sender id, ' +
  'such as arn:aws:sms-voice:us-east-1:123456789012:phone-number/phone-0123456789abcdef0';

/**
 * What SMS are sent from: a phone number, a pool of them, or a sender id of AWS End User Messaging SMS. Nothing
 * but its ARN, since the permission to send is for that identity alone.
 */
export const OriginationIdentity = v.pipe(
  v.string(what),
  v.regex(/^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/, what),
);
export type OriginationIdentity = v.InferOutput<typeof OriginationIdentity>;

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
