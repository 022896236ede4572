import type { FailureReason } from '../../contract/errors.ts';

/** Outcome of an SMS that was not sent, or may not have been. */
export type Unconfirmed =
  | { status: 'FAILED'; reason: Extract<FailureReason, 'OPTED_OUT' | 'REFUSED' | 'UNREACHED'> }
  | { status: 'UNKNOWN'; reason: Extract<FailureReason, 'UNKNOWN'> };

/** Outcome of sending an SMS. */
export type SmsOutcome = { status: 'SENT'; providerId: string } | (Unconfirmed & { cause: Error });

/** An SMS to send. */
export interface OutgoingSms {
  /** The receiver's number in E.164. */
  to: string;
  text: string;
  /** ARN of the sender: a phone number, pool or sender id. The ARN names the region. */
  from: string;
  /** Values that the provider's delivery report returns. */
  context: Readonly<Record<string, string>>;
}

/** Hands an SMS to the provider, once. Never throws. */
export type SendSms = (message: OutgoingSms) => Promise<SmsOutcome>;

/** Way to send SMS. */
export interface SmsProvider {
  send: SendSms;
  /** ARN of the sender for organizations without their own number, if there is such a sender. */
  from?: string | undefined;
  /** True if SMS is off: nothing is sent, not even from an organization's own number. */
  isOff?: boolean;
}

/** Milliseconds that sending takes at most. */
export const timeToSend = 6000;
