import { listAt, numberAt, partAt, textAt } from '../../core/json-parts.ts';
import { findingsIn } from './findings.ts';
import { enderOf, turnsIn, type ReportedCall, type Turn } from './reported-call.ts';

/** Events that report a call. Others, such as `transcript_updated`, are about a call that goes on. */
const reporting = ['call_started', 'call_ended', 'call_analyzed'];

/** Reasons of calls that the person ended, and of calls that the assistant ended. Any other reason is the system's. */
const endedByUser = ['user_hangup', 'user_declined', 'user_requested_dnc', 'user_requested_callback'];
const endedByAssistant = [
  ...['agent_hangup', 'call_transfer', 'transfer_bridged', 'transfer_cancelled'],
  ...['voicemail_reached', 'ivr_reached'],
];

export const isOfRetell = (json: unknown): boolean =>
  textAt(json, 'event') !== '' && textAt(json, 'call', 'call_id') !== '';

/**
 * Call in an event of Retell; undefined if the event reports no call. The shapes are `PhoneCallResponse` and
 * `WebCallResponse` of retell-sdk, resources/call.d.ts
 */
export function retellCall(json: unknown): ReportedCall | undefined {
  if (!reporting.includes(textAt(json, 'event'))) return undefined;
  const call = partAt(json, 'call');
  const isOutbound = textAt(call, 'direction') === 'outbound';
  const milliseconds = numberAt(call, 'duration_ms');
  const endReason = textAt(call, 'disconnection_reason');
  return {
    platform: 'retell',
    callId: textAt(call, 'call_id'),
    phone: textAt(call, isOutbound ? 'to_number' : 'from_number'),
    direction: isOutbound ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    startedAt: numberAt(call, 'start_timestamp'),
    endedAt: numberAt(call, 'end_timestamp'),
    duration: milliseconds === undefined ? undefined : milliseconds / 1000,
    endReason,
    endedBy: enderOf(endReason, {
      isUsers: endedByUser.includes(endReason),
      isAssistants: endedByAssistant.includes(endReason),
    }),
    summary: textAt(call, 'call_analysis', 'call_summary'),
    recordingUrl: textAt(call, 'recording_url'),
    turns: turnsOf(call),
    findings: [
      ...findingsIn(partAt(call, 'call_analysis', 'custom_analysis_data')),
      ...findingsIn(partAt(call, 'collected_dynamic_variables')),
    ],
  };
}

function turnsOf(call: unknown): Turn[] {
  const listed = listAt(call, 'transcript_object');
  if (listed.length === 0) return turnsIn(textAt(call, 'transcript'));
  return listed.map((turn) => ({
    user: textAt(turn, 'role') === 'agent' ? 'assistant' : 'user',
    text: textAt(turn, 'content'),
    seconds: numberAt(listAt(turn, 'words')[0], 'start'),
  }));
}
