import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { localCredentials } from '../engine.ts';
import { smsArn } from '../arns.ts';
import { localMessageOf } from '../local-error.ts';
import { operation, Refusal, startJsonService } from '../json-service.ts';
import type { RunningServer } from '../loopback.ts';
import type { Permissions } from '../role.ts';
import { describePhoneNumbers } from './phone-numbers.ts';

/** An SMS that a function sent. */
export interface SmsAtProvider {
  id: string;
  to: string;
  from: string;
  text: string;
  /** Data that the delivery report returns: the organization and, if one is stored, the message. */
  context?: Record<string, string>;
}

/** An accepted SMS, before its delivery report. */
export interface AcceptedSms extends SmsAtProvider {
  messageType: string;
  context: Record<string, string>;
  configurationSet: string | undefined;
}

/**
 * Stands in for AWS End User Messaging SMS: accepts the requests that the provider would, and passes each SMS
 * to `keep`.
 */
export type SmsStandIn = RunningServer;

export interface SmsDependencies {
  permissions: Permissions;
  /** Receives every accepted SMS. If it throws, the SMS is refused. */
  keep: (sms: SmsAtProvider) => void;
  /** Receives every accepted SMS, after the sender has the response. */
  report?: (sms: AcceptedSms) => void;
  hasConfigurationSet?: (name: string) => boolean;
  /** Topic that phone numbers publish incoming SMS to. */
  textsTopicArn?: () => string | undefined;
}

/** Numbers that Australia reserves for fiction. Here they provoke failures. */
const optedOut = '+61491570110';
const unanswered = '+61491570313';
const refused = '+61491570006';

const SendTextMessage = v.strictObject({
  DestinationPhoneNumber: v.pipe(v.string(), v.regex(/^\+[1-9]\d{6,14}$/)),
  OriginationIdentity: v.string(),
  // AWS counts lengths in characters: https://smithy.io/2.0/spec/constraint-traits.html#length-trait
  MessageBody: v.pipe(
    v.string(),
    v.minLength(1),
    v.check((text) => Array.from(text).length <= 1600),
  ),
  MessageType: v.picklist(['TRANSACTIONAL', 'PROMOTIONAL']),
  ConfigurationSetName: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,256}$/))),
  Context: v.optional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^\S{1,100}$/)),
        v.pipe(v.string(), v.minLength(1), v.maxLength(800)),
      ),
      v.maxEntries(5),
    ),
    {},
  ),
});

const DescribePhoneNumbers = v.strictObject({
  MaxResults: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  NextToken: v.optional(v.string()),
});

/** Starts the stand-in. */
export function startSmsStandIn({
  permissions,
  keep,
  report,
  hasConfigurationSet = () => false,
  textsTopicArn = () => undefined,
}: SmsDependencies): Promise<SmsStandIn> {
  const ifInvalid = { Reason: 'FIELD_VALIDATION_FAILED' };
  const acceptSms = operation(
    SendTextMessage,
    (input, call) => {
      const { DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: text } = input;
      const { ConfigurationSetName: configurationSet, Context: context, MessageType: messageType } = input;
      const action = 'sms-voice:SendTextMessage';
      call.requirePermission({ action, resource: from });
      if (configurationSet !== undefined) {
        call.requirePermission({ action, resource: `${smsArn}:configuration-set/${configurationSet}` });
        if (!hasConfigurationSet(configurationSet))
          throw new Refusal('ResourceNotFoundException', 'Configuration set not found', {
            ResourceType: 'configuration-set',
            ResourceId: configurationSet,
          });
      }
      switch (to) {
        case optedOut:
          throw new Refusal('ConflictException', 'Destination phone number opted out', {
            Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
          });
        case refused:
          throw new Refusal('ServiceQuotaExceededException', 'Monthly spend limit reached', {
            Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
          });
        case unanswered:
          return 'no answer';
      }
      const id = randomUUID();
      try {
        keep({ id, to, from, text, ...(Object.keys(context).length > 0 && { context }) });
      } catch (error) {
        // Nobody has the SMS. No answer at all would leave that open.
        throw new Refusal('ServiceQuotaExceededException', localMessageOf(error));
      }
      call.afterAnswer(() => report?.({ id, to, from, text, messageType, context, configurationSet }));
      return { MessageId: id };
    },
    ifInvalid,
  );
  // Only operators ask this, with the access key of this machine; no function does.
  const listNumbers = operation(
    DescribePhoneNumbers,
    (input, { functionName }) => {
      if (functionName !== localCredentials.AWS_ACCESS_KEY_ID)
        throw new Refusal('AccessDeniedException', `${functionName} may not list phone numbers`);
      const page = describePhoneNumbers(input, textsTopicArn());
      if (page) return page;
      throw new Refusal('ValidationException', 'NextToken is of no page', { Reason: 'INVALID_NEXT_TOKEN' });
    },
    ifInvalid,
  );
  return startJsonService({ SendTextMessage: acceptSms, DescribePhoneNumbers: listNumbers }, permissions);
}
