import { textSender, type SendText } from '../domain/sms/send-text.ts';

const originationIdentity = process.env['SMS_ORIGINATION_IDENTITY'];

/** How this function sends text messages; undefined if the stack has no origination identity. */
export const sendText: SendText | undefined = originationIdentity
  ? textSender(originationIdentity)
  : undefined;
