import {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type PinpointSMSVoiceV2ClientConfig,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as v from 'valibot';
import type { FailureReason } from '../../contract/errors.ts';

/** Outcome of an SMS that was not sent, or may not have been. */
type Unconfirmed =
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

/**
 * The provider has no idempotency token, so nothing is retried. Connections are not reused either. The provider may
 * close a connection while the function is frozen between requests. A message written to that connection would have an
 * unknown outcome.
 */
const clientConfig = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 5000,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: false },
    httpsAgent: { keepAlive: false },
  },
} as const satisfies PinpointSMSVoiceV2ClientConfig;

/**
 * Sends through AWS End User Messaging SMS. Each SMS names the configuration set, which routes delivery
 * reports. A set exists in one region only, so an SMS that is sent from another region names none.
 */
export function awsSms(configurationSet?: { name: string; region: string }): SendSms {
  const clients = new Map<string, PinpointSMSVoiceV2Client>();
  const clientIn = (region: string): PinpointSMSVoiceV2Client => {
    const client = clients.get(region) ?? new PinpointSMSVoiceV2Client({ ...clientConfig, region });
    clients.set(region, client);
    return client;
  };
  return async ({ to, text, from, context }) => {
    const [, , , region = ''] = from.split(':');
    const command = new SendTextMessageCommand({
      DestinationPhoneNumber: to,
      OriginationIdentity: from,
      MessageBody: text,
      MessageType: 'TRANSACTIONAL',
      ...(configurationSet?.region === region && { ConfigurationSetName: configurationSet.name }),
      Context: context,
    });
    try {
      const { MessageId = '' } = await clientIn(region).send(command, {
        abortSignal: AbortSignal.timeout(timeToSend),
      });
      return { status: 'SENT', providerId: MessageId };
    } catch (cause) {
      return { ...unconfirmedOf(cause), cause: traceOf(cause) };
    }
  };
}

const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function unconfirmedOf(error: unknown): Unconfirmed {
  if (error instanceof Error) {
    if ('Reason' in error && error.Reason === 'DESTINATION_PHONE_NUMBER_OPTED_OUT') {
      return { status: 'FAILED', reason: 'OPTED_OUT' };
    }
    if ('$fault' in error && error.$fault === 'client') return { status: 'FAILED', reason: 'REFUSED' };
    if ('code' in error && typeof error.code === 'string' && neverConnected.has(error.code)) {
      return { status: 'FAILED', reason: 'UNREACHED' };
    }
  }
  return { status: 'UNKNOWN', reason: 'UNKNOWN' };
}

/** Error that may be logged: the original message may quote the phone number or the text. */
function traceOf(error: unknown): Error {
  const known = v.safeParse(
    v.object({
      name: v.string(),
      code: v.optional(v.string()),
      Reason: v.optional(v.string()),
      $metadata: v.optional(v.object({ requestId: v.optional(v.string()) }), {}),
    }),
    error,
  );
  if (!known.success) return new Error('SendTextMessage failed');
  const { name, code, Reason, $metadata } = known.output;
  return new Error(['SendTextMessage', name, code, Reason, $metadata.requestId].filter(Boolean).join(' '));
}
