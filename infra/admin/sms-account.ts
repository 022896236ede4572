import {
  paginateDescribePhoneNumbers,
  PinpointSMSVoiceV2Client,
  type PhoneNumberInformation,
  type PinpointSMSVoiceV2ClientConfig,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { AdminError } from './admin-error.ts';
import { messageOf } from './aws-error.ts';

/**
 * The account at AWS End User Messaging SMS through which a stack sends SMS, or its stand-in on the local
 * machine.
 */
export interface SmsAccount {
  region: string;
  credentials: NonNullable<PinpointSMSVoiceV2ClientConfig['credentials']>;
  /** URL of the stand-in; absent on AWS. */
  endpoint?: string;
  /** ARN of the topic to which the account's numbers must publish incoming SMS. */
  topicArn: string;
}

/**
 * The account's description of a phone number (E.164); undefined if the account does not have it. @throws
 * AdminError if the call fails
 */
export async function numberAt(
  { region, credentials, endpoint }: SmsAccount,
  number: string,
): Promise<PhoneNumberInformation | undefined> {
  const client = new PinpointSMSVoiceV2Client({
    region,
    credentials,
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    // The call has no filter by phone number.
    for await (const { PhoneNumbers = [] } of paginateDescribePhoneNumbers({ client, pageSize: 100 }, {})) {
      const found = PhoneNumbers.find(({ PhoneNumber }) => PhoneNumber === number);
      if (found) return found;
    }
    return undefined;
  } catch (error) {
    throw new AdminError(
      `The phone numbers of the account cannot be looked up in ${region} (${messageOf(error)}): ` +
        'check AWS_REGION, and that you may sms-voice:DescribePhoneNumbers there.',
    );
  } finally {
    client.destroy();
  }
}
