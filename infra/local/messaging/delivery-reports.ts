import { numberOfIdentity } from './phone-numbers.ts';
import type { AcceptedSms } from './sms-stand-in.ts';

/** A number that Australia reserves for fiction. An SMS to it does not reach its carrier here. */
export const unreachable = '+61491572549';

const outcomes = {
  delivered: {
    eventType: 'TEXT_DELIVERED',
    messageStatus: 'DELIVERED',
    messageStatusDescription: 'Message has been accepted by phone',
  },
  unreachable: {
    eventType: 'TEXT_CARRIER_UNREACHABLE',
    messageStatus: 'CARRIER_UNREACHABLE',
    messageStatusDescription: 'Phone carrier is currently unreachable/unavailable',
  },
};

/** Characters per part: of a short SMS, which has one part, and of a long one. */
const parts = { short: 160, long: 153 };

/**
 * Builds the final delivery report of an SMS, as the provider publishes it.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-format.html
 */
export function deliveryReport({ id, to, from, text, messageType, context }: AcceptedSms, now: number) {
  return {
    ...(to === unreachable ? outcomes.unreachable : outcomes.delivered),
    eventVersion: '1.0',
    eventTimestamp: now,
    isFinal: true,
    originationPhoneNumber: numberOfIdentity(from),
    destinationPhoneNumber: to,
    isoCountryCode: 'AU',
    mcc: '505',
    mnc: '01',
    messageId: id,
    messageRequestTimestamp: now,
    messageEncoding: /^[\x20-\x7e\n]*$/.test(text) ? 'GSM' : 'Unicode',
    messageType,
    context,
    totalMessageParts: text.length <= parts.short ? 1 : Math.ceil(text.length / parts.long),
    totalMessagePrice: 0,
    totalCarrierFee: 0,
  };
}
