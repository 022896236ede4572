import type { SmsProvider } from '../../domain/sms/sms-provider.ts';
import { awsSms } from '../clients/aws-sms.ts';

const {
  SMS_CONFIGURATION_SET: name = '',
  SMS_ORIGINATION_IDENTITY: from = '',
  AWS_REGION: region = '',
} = process.env;

/** The SMS provider, from the function's environment variables. */
export const smsProvider: SmsProvider = {
  send: awsSms(name === '' ? undefined : { name, region }),
  from: from === '' ? undefined : from,
  // Every function that may send SMS has a configuration set.
  isOff: name === '',
};
