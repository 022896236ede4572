import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { localCredentials } from '../engine.ts';
import { smsArn } from '../arns.ts';
import { localMessageOf } from '../local-error.ts';
import { isFromWebPage, startServer, type RunningServer, webPagesRefused } from '../loopback.ts';
import { callOf, isAllowed, type OnPermissionCheck, type RoleOf } from '../role.ts';
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
  roleOf: RoleOf;
  /** Receives every accepted SMS. If it throws, the SMS is refused. */
  keep: (message: SmsAtProvider) => void;
  /** Receives every permission that an SMS needs. */
  onPermissionCheck?: OnPermissionCheck;
  /** Receives every accepted SMS, after the sender has the response. */
  report?: (text: AcceptedSms) => void;
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

/** Response of an operation, or its refusal. */
type SmsResponse =
  { body: object; answered?: () => void } | { refusal: string; message: string; more?: object } | 'no answer';

const refusal = (type: string, message: string, more?: object): SmsResponse => ({
  refusal: type,
  message,
  ...(more && { more }),
});

const Json = v.pipe(v.string(), v.parseJson());

function invalid(issue: v.BaseIssue<unknown>): SmsResponse {
  const message = `${v.getDotPath(issue) ?? ''} ${issue.message}`;
  return refusal('ValidationException', message, { Reason: 'FIELD_VALIDATION_FAILED' });
}

export const startSmsStandIn = (dependencies: SmsDependencies): Promise<SmsStandIn> =>
  startServer((request, response) => answer(request, response, dependencies));

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: SmsDependencies,
): Promise<void> {
  const { functionName, operation } = callOf(request);
  const body = await text(request);
  const answer = isFromWebPage(request)
    ? refusal('AccessDeniedException', webPagesRefused)
    : responseTo(operation, { functionName, body }, dependencies);
  if (answer === 'no answer') {
    response.destroy();
    return;
  }
  const isRefused = 'refusal' in answer;
  const json = isRefused
    ? {
        __type: `com.amazonaws.pinpointsmsvoicev2#${answer.refusal}`,
        Message: answer.message,
        ...answer.more,
      }
    : answer.body;
  response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(json), () => {
    if (!isRefused) answer.answered?.();
  });
}

/** A call of a function. The access key id names the function. */
interface Call {
  functionName: string;
  body: string;
}

function responseTo(operation: string, call: Call, dependencies: SmsDependencies): SmsResponse {
  if (operation === 'SendTextMessage') return acceptSms(call, dependencies);
  if (operation === 'DescribePhoneNumbers') return describe(call, dependencies);
  return refusal('UnknownOperationException', `The local machine does not know ${operation}`);
}

function acceptSms({ functionName, body }: Call, dependencies: SmsDependencies): SmsResponse {
  const input = v.safeParse(v.pipe(Json, SendTextMessage), body);
  if (!input.success) return invalid(input.issues[0]);
  const {
    roleOf,
    onPermissionCheck = () => undefined,
    keep,
    report,
    hasConfigurationSet = () => false,
  } = dependencies;
  const { DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: text } = input.output;
  const { ConfigurationSetName: configurationSet, Context: context, MessageType: messageType } = input.output;
  const action = 'sms-voice:SendTextMessage';
  const used = [
    from,
    ...(configurationSet === undefined ? [] : [`${smsArn}:configuration-set/${configurationSet}`]),
  ];
  for (const resource of used)
    if (!isAllowed(functionName, { action, resource }, { roleOf, onPermissionCheck }))
      return refusal(
        'AccessDeniedException',
        `The role of ${functionName} does not allow ${action} on ${resource}`,
      );
  if (configurationSet !== undefined && !hasConfigurationSet(configurationSet))
    return refusal('ResourceNotFoundException', 'Configuration set not found', {
      ResourceType: 'configuration-set',
      ResourceId: configurationSet,
    });
  switch (to) {
    case optedOut:
      return refusal('ConflictException', 'Destination phone number opted out', {
        Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
      });
    case refused:
      return refusal('ServiceQuotaExceededException', 'Monthly spend limit reached', {
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
    return refusal('ServiceQuotaExceededException', localMessageOf(error));
  }
  return {
    body: { MessageId: id },
    answered: () => report?.({ id, to, from, text, messageType, context, configurationSet }),
  };
}

/**
 * Describes the phone numbers. Only operators ask this, with the access key of this machine; no function
 * does.
 */
function describe(
  { functionName, body }: Call,
  { textsTopicArn = () => undefined }: SmsDependencies,
): SmsResponse {
  if (functionName !== localCredentials.AWS_ACCESS_KEY_ID)
    return refusal('AccessDeniedException', `${functionName} may not list phone numbers`);
  const input = v.safeParse(v.pipe(Json, DescribePhoneNumbers), body);
  if (!input.success) return invalid(input.issues[0]);
  const page = describePhoneNumbers(input.output, textsTopicArn());
  return page
    ? { body: page }
    : refusal('ValidationException', 'NextToken is of no page', { Reason: 'INVALID_NEXT_TOKEN' });
}
