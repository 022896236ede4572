import { textSender, type Texting } from '../domain/sms/send-text.ts';

const {
  SMS_CONFIGURATION_SET: name = '',
  SMS_ORIGINATION_IDENTITY: from = '',
  AWS_REGION: region = '',
} = process.env;

/** How this function sends text messages. */
export const texting: Texting = {
  send: textSender(name === '' ? undefined : { name, region }),
  from: from === '' ? undefined : from,
};
