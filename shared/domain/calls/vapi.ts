import { listAt, numberAt, partAt, textAt } from '../../core/json-parts.ts';
import { findingsIn } from './findings.ts';
import { enderOf, turnsIn, type ReportedCall, type Turn } from './reported-call.ts';

/** Statuses of a call that goes on, and of an ended call. */
const reportedStatuses = ['in-progress', 'forwarding', 'ended'];

/** Reasons of calls that the assistant ended. Reasons of calls that the person ended begin with `customer-`. */
const endedByAssistant = [
  'assistant-ended-call',
  'assistant-ended-call-after-message-spoken',
  'assistant-ended-call-with-hangup-task',
  'assistant-said-end-call-phrase',
  'assistant-forwarded-call',
];

export const isOfVapi = (json: unknown): boolean =>
  textAt(json, 'message', 'type') !== '' && textAt(json, 'message', 'call', 'id') !== '';

/**
 * Call in a message of Vapi; undefined if the message reports no call. The shapes are `ServerMessageStatusUpdate` and
 * `ServerMessageEndOfCallReport` of @vapi-ai/server-sdk. Some fields are in no type: `durationSeconds`, and copies of
 * fields of `artifact` and `analysis`.
 */
export function vapiCall(json: unknown): ReportedCall | undefined {
  const message = partAt(json, 'message');
  const type = textAt(message, 'type');
  const isReport = type === 'end-of-call-report';
  if (!isReport && !(type === 'status-update' && reportedStatuses.includes(textAt(message, 'status'))))
    return undefined;
  const endReason = textAt(message, 'endedReason');
  const isOutbound = textAt(message, 'call', 'type') === 'outboundPhoneCall';
  const startedAt =
    timeAt(message, 'startedAt') ?? timeAt(message, 'call', 'startedAt') ?? startOfMessages(message);
  const isStart = textAt(message, 'status') === 'in-progress';
  return {
    platform: 'vapi',
    callId: textAt(message, 'call', 'id'),
    phone: textAt(message, 'customer', 'number') || textAt(message, 'call', 'customer', 'number'),
    direction: isOutbound ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    startedAt: startedAt ?? (isStart ? numberAt(message, 'timestamp') : undefined),
    endedAt: timeAt(message, 'endedAt'),
    duration: numberAt(message, 'durationSeconds'),
    endReason,
    endedBy: enderOf(endReason, {
      isUsers: endReason.startsWith('customer-'),
      isAssistants: endedByAssistant.includes(endReason),
    }),
    summary: textAt(message, 'analysis', 'summary') || textAt(message, 'summary'),
    recordingUrl:
      textAt(message, 'artifact', 'recordingUrl') ||
      textAt(message, 'artifact', 'recording', 'mono', 'combinedUrl') ||
      textAt(message, 'recordingUrl'),
    turns: turnsOf(message),
    findings: [
      ...findingsIn(partAt(message, 'analysis', 'structuredData')),
      ...listAt(message, 'analysis', 'structuredDataMulti').flatMap((some) => findingsIn(some)),
      ...structuredOutputs(partAt(message, 'artifact', 'structuredOutputs')),
    ],
  };
}

/** Findings in outputs, which are by id. Each output has a name and a result. */
const structuredOutputs = (outputs: unknown) =>
  Object.values(typeof outputs === 'object' && outputs !== null ? outputs : {}).flatMap((output) => {
    const result = partAt(output, 'result');
    return findingsIn(typeof result === 'object' ? result : { [textAt(output, 'name')]: result });
  });

/** Epoch milliseconds of an ISO 8601 time. */
function timeAt(value: unknown, ...path: string[]): number | undefined {
  const time = Date.parse(textAt(value, ...path));
  return Number.isNaN(time) ? undefined : time;
}

/** Beginning of a call, by its messages: each has its time, and the seconds from the beginning. */
function startOfMessages(message: unknown): number | undefined {
  const [first] = listAt(message, 'artifact', 'messages');
  const [time, seconds] = [numberAt(first, 'time'), numberAt(first, 'secondsFromStart')];
  return time === undefined || seconds === undefined ? undefined : Math.round(time - seconds * 1000);
}

/** Roles of messages that were spoken, and who spoke. */
const speakers: Readonly<Record<string, Turn['user']>> = {
  user: 'user',
  bot: 'assistant',
  assistant: 'assistant',
};

function turnsOf(message: unknown): Turn[] {
  const listed = listAt(message, 'artifact', 'messages').flatMap((turn): Turn[] => {
    const user = speakers[textAt(turn, 'role')];
    const [text, seconds] = [textAt(turn, 'message'), numberAt(turn, 'secondsFromStart')];
    return user === undefined ? [] : [{ user, text, seconds }];
  });
  const transcript = textAt(message, 'artifact', 'transcript') || textAt(message, 'transcript');
  return listed.length > 0 ? listed : turnsIn(transcript);
}
