import { textSender, type SendText } from '../domain/sms/send-text.ts';

const originationIdentity = process.env['SMS_ORIGINATION_IDENTITY'];

/** How the function that this runs in sends text messages; undefined in a stack that was given no identity to send from. */
export const sendText: SendText | undefined = originationIdentity
  ? textSender(originationIdentity)
  : undefined;
