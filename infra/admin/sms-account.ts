import {
  paginateDescribePhoneNumbers,
  PinpointSMSVoiceV2Client,
  type PhoneNumberInformation,
  type PinpointSMSVoiceV2ClientConfig,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { AdminError } from './admin-error.ts';
import { messageOf } from './aws-error.ts';

/** The account at AWS End User Messaging SMS that the texts of a stack go through, or its stand-in on the local machine. */
export interface SmsAccount {
  region: string;
  credentials: NonNullable<PinpointSMSVoiceV2ClientConfig['credentials']>;
  /** Where the stand-in is. */
  endpoint?: string;
  /** The topic that its numbers must tell of texts that come in. */
  topicArn: string;
}

/** What the account says of a number (E.164); undefined if it does not have it. @throws AdminError if it cannot be asked */
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
    // None of the filters that the call takes is for the number itself.
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
