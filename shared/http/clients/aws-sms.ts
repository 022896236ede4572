import {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type PinpointSMSVoiceV2ClientConfig,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as v from 'valibot';
import { timeToSend, type SendSms, type Unconfirmed } from '../../domain/sms/sms-provider.ts';

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
