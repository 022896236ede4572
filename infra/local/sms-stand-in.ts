import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { closeAll, listenOnLoopback } from './loopback.ts';
import { callOf, isAllowed, type NoteAsked, type RoleOf } from './role.ts';

/** A text message that a function sent. */
export interface SentText {
  id: string;
  to: string;
  from: string;
  text: string;
}

/** Stands in for AWS End User Messaging SMS: accepts what the provider would, and hands it to `keep`. */
export interface SmsStandIn {
  endpoint: string;
  close(): Promise<void>;
}

/** Numbers that Australia reserves for fiction, which here provoke failures. */
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
});

/** `noteAsked` is told every permission that a message needs. */
export async function startSmsStandIn(
  roleOf: RoleOf,
  keep: (message: SentText) => void,
  noteAsked: NoteAsked = () => undefined,
): Promise<SmsStandIn> {
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { functionName, operation } = callOf(request);
    const input = v.safeParse(v.pipe(v.string(), v.parseJson(), SendTextMessage), await text(request));
    const refuse = (type: string, message: string, more: object = {}) => {
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end(
        JSON.stringify({ __type: `com.amazonaws.pinpointsmsvoicev2#${type}`, Message: message, ...more }),
      );
    };
    if (operation !== 'SendTextMessage') {
      refuse('UnknownOperationException', `The local machine does not know ${operation}`);
      return;
    }
    if (!input.success) {
      const [issue] = input.issues;
      refuse('ValidationException', `${v.getDotPath(issue) ?? ''} ${issue.message}`, {
        Reason: 'FIELD_VALIDATION_FAILED',
      });
      return;
    }
    const { DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: body } = input.output;
    const demand = { action: 'sms-voice:SendTextMessage', resource: from };
    if (!isAllowed(functionName, demand, { roleOf, noteAsked })) {
      refuse(
        'AccessDeniedException',
        `The role of ${functionName} does not allow ${demand.action} on ${from}`,
      );
    } else if (to === optedOut) {
      refuse('ConflictException', 'Destination phone number opted out', {
        Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
      });
    } else if (to === refused) {
      refuse('ServiceQuotaExceededException', 'Monthly spend limit reached', {
        Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
      });
    } else if (to === unanswered) {
      response.destroy();
    } else {
      const id = randomUUID();
      keep({ id, to, from, text: body });
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ MessageId: id }));
    }
  }

  const port = await listenOnLoopback(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () => closeAll(server),
  };
}
