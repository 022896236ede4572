import { listAt, numberAt, partAt, textAt } from '../../core/json-parts.ts';
import { findingsIn } from './findings.ts';
import { enderOf, type ReportedCall, type Turn } from './reported-call.ts';

const reporting = [
  'post_call_transcription',
  'unredacted_post_call_transcription',
  'call_initiation_failure',
];

export const isOfElevenLabs = (json: unknown): boolean =>
  textAt(json, 'type') !== '' && textAt(json, 'data', 'conversation_id') !== '';

/**
 * Call in a webhook of ElevenLabs; undefined if the webhook reports no call. The shape is
 * `GetConversationResponseModel` of @elevenlabs/elevenlabs-js, as serialized. Older deliveries have the phone number
 * only in the dynamic variables.
 */
export function elevenLabsCall(json: unknown): ReportedCall | undefined {
  const type = textAt(json, 'type');
  if (!reporting.includes(type)) return undefined;
  const data = partAt(json, 'data');
  return type === 'call_initiation_failure' ? failedCall(data) : conversation(data);
}

function conversation(data: unknown): ReportedCall {
  const phoneCall = partAt(data, 'metadata', 'phone_call');
  const variables = partAt(data, 'conversation_initiation_client_data', 'dynamic_variables');
  const isOutbound = textAt(phoneCall, 'direction') === 'outbound';
  const [start, seconds] = [
    numberAt(data, 'metadata', 'start_time_unix_secs'),
    numberAt(data, 'metadata', 'call_duration_secs'),
  ];
  const startedAt = start === undefined ? undefined : start * 1000;
  const endReason = textAt(data, 'metadata', 'termination_reason');
  return {
    platform: 'elevenlabs',
    callId: textAt(data, 'conversation_id'),
    phone: textAt(phoneCall, 'external_number') || textAt(variables, 'system__caller_id'),
    direction: isOutbound ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    startedAt,
    endedAt: startedAt === undefined || seconds === undefined ? undefined : startedAt + seconds * 1000,
    duration: seconds,
    endReason,
    // Reasons are free texts.
    endedBy: enderOf(endReason, {
      isUsers: /remote party|client disconnected|user/i.test(endReason),
      isAssistants: /end_call|transfer|agent/i.test(endReason),
    }),
    summary: textAt(data, 'analysis', 'transcript_summary'),
    // ElevenLabs sends the sound itself, which is not kept, and no link.
    recordingUrl: '',
    turns: listAt(data, 'transcript').map((turn): Turn => ({
      user: textAt(turn, 'role') === 'agent' ? 'assistant' : 'user',
      text: textAt(turn, 'message'),
      seconds: numberAt(turn, 'time_in_call_secs'),
    })),
    findings: collected(partAt(data, 'analysis', 'data_collection_results')),
  };
}

/** A call that nobody took. The platform made this call. */
function failedCall(data: unknown): ReportedCall {
  const body = partAt(data, 'metadata', 'body');
  return {
    platform: 'elevenlabs',
    callId: textAt(data, 'conversation_id'),
    phone: textAt(body, 'to_number') || textAt(body, 'To') || textAt(body, 'Called'),
    direction: 'AI_TO_LEAD',
    startedAt: undefined,
    endedAt: undefined,
    duration: undefined,
    endReason: textAt(data, 'failure_reason'),
    endedBy: 'system',
    summary: '',
    recordingUrl: '',
    turns: [],
    findings: [],
  };
}

/** Collected data by name, without the rationales. */
const collected = (results: unknown) =>
  findingsIn(
    Object.fromEntries(
      Object.entries(typeof results === 'object' && results !== null ? results : {}).map(([name, result]) => [
        name,
        partAt(result, 'value'),
      ]),
    ),
  );
