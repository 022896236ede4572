import type { Platform } from '../../../../shared/contract/call-events.ts';
import type { Fields } from '../same.ts';

/** Report of a call by one event. What the event does not say is undefined or empty. */
export interface Report {
  platform: Platform;
  callId: string;
  /** Number of the other side, as it is written. */
  phone: string;
  isOutgoing: boolean;
  /** Epoch milliseconds. */
  startedAt: number | undefined;
  endedAt: number | undefined;
  seconds: number | undefined;
  end: End | undefined;
  summary: string;
  recordingUrl: string;
  turns: readonly Turn[];
  findings: Readonly<Record<string, string>>;
}

/** Reason of the end of a call in a platform's words, and who ended it. */
export interface End {
  reason: string;
  by: 'user' | 'assistant' | 'system';
}

export interface Turn {
  user: 'user' | 'assistant';
  text: string;
  /** Seconds after the beginning; undefined if the platform does not say. */
  after: number | undefined;
}

/** Ways in which a call of each platform ends. */
export const endsOf: Record<Platform, readonly End[]> = {
  retell: [
    { reason: 'user_hangup', by: 'user' },
    { reason: 'agent_hangup', by: 'assistant' },
    { reason: 'inactivity', by: 'system' },
  ],
  vapi: [
    { reason: 'customer-ended-call', by: 'user' },
    { reason: 'assistant-ended-call', by: 'assistant' },
    { reason: 'silence-timed-out', by: 'system' },
  ],
  elevenlabs: [
    { reason: 'Client disconnected: 1000', by: 'user' },
    { reason: 'end_call tool was called.', by: 'assistant' },
    { reason: 'Max duration reached', by: 'system' },
  ],
};

/** Number of the organization in each event. */
const ownNumber = '+61255501234';

const isoOf = (time: number | undefined) => time && new Date(time).toISOString();

/** Event of a platform that makes this report, as the platform writes it. */
export const eventOf: Record<Platform, (report: Report) => Fields> = {
  retell: ({ callId, phone, isOutgoing, startedAt, endedAt, seconds, end, ...said }) => ({
    event: said.summary === '' ? (end ? 'call_ended' : 'call_started') : 'call_analyzed',
    call: {
      ...{ call_id: callId, call_type: 'phone_call', direction: isOutgoing ? 'outbound' : 'inbound' },
      ...{ from_number: isOutgoing ? ownNumber : phone, to_number: isOutgoing ? phone : ownNumber },
      ...{ start_timestamp: startedAt, end_timestamp: endedAt, disconnection_reason: end?.reason },
      ...{ duration_ms: seconds === undefined ? undefined : seconds * 1000 },
      transcript_object: said.turns.map(({ user, text, after }) => ({
        ...{ role: user === 'assistant' ? 'agent' : 'user', content: text },
        words: after === undefined ? [] : [{ word: 'Well', start: after }],
      })),
      ...{ recording_url: said.recordingUrl },
      call_analysis: { call_summary: said.summary, custom_analysis_data: said.findings },
    },
  }),
  vapi: ({ callId, phone, isOutgoing, startedAt, endedAt, seconds, end, ...said }) => {
    const call = { id: callId, type: isOutgoing ? 'outboundPhoneCall' : 'inboundPhoneCall' };
    const about = { call, customer: { number: phone }, phoneNumber: { number: ownNumber } };
    const times = { endedAt: isoOf(endedAt), durationSeconds: seconds };
    const saysNothing = said.summary + said.recordingUrl === '' && said.turns.length === 0;
    return saysNothing && Object.keys(said.findings).length === 0
      ? {
          message: {
            ...{ type: 'status-update', ...about, ...times, endedReason: end?.reason },
            ...(end
              ? { status: 'ended', startedAt: isoOf(startedAt) }
              : { status: 'in-progress', timestamp: startedAt }),
          },
        }
      : {
          message: {
            ...{ type: 'end-of-call-report', ...about, ...times, endedReason: end?.reason },
            startedAt: isoOf(startedAt),
            analysis: { summary: said.summary, structuredData: said.findings },
            artifact: {
              recordingUrl: said.recordingUrl,
              messages: [
                { role: 'system', message: 'You answer the telephone.' },
                ...said.turns.map(({ user, text, after }) => ({
                  ...{ role: user === 'assistant' ? 'bot' : 'user', message: text, secondsFromStart: after },
                })),
              ],
            },
          },
        };
  },
  elevenlabs: ({ callId, phone, isOutgoing, startedAt, seconds, end, ...said }) => ({
    type: 'post_call_transcription',
    data: {
      conversation_id: callId,
      transcript: said.turns.map(({ user, text, after }) => ({
        ...{ role: user === 'assistant' ? 'agent' : 'user', message: text, time_in_call_secs: after },
      })),
      metadata: {
        ...{ start_time_unix_secs: startedAt && startedAt / 1000, call_duration_secs: seconds },
        termination_reason: end?.reason,
        phone_call: {
          ...{ direction: isOutgoing ? 'outbound' : 'inbound' },
          ...{ external_number: phone, agent_number: ownNumber },
        },
      },
      analysis: {
        transcript_summary: said.summary,
        data_collection_results: Object.fromEntries(
          Object.entries(said.findings).map(([name, value]) => [name, { value, rationale: 'It was said' }]),
        ),
      },
    },
  }),
};

/** Events that report no call, with what is answered. */
export const meaninglessEvents: readonly (readonly [event: Fields | string, reason: string])[] = [
  [
    { event: 'transcript_updated', call: { call_id: 'call-1', from_number: '+61491500001' } },
    'Events of the type transcript_updated report no call',
  ],
  [
    { message: { type: 'speech-update', call: { id: 'call-1' }, customer: { number: '+61491500001' } } },
    'Events of the type speech-update report no call',
  ],
  [
    { type: 'post_call_audio', data: { conversation_id: 'call-1', full_audio: 'SUQz' } },
    'Events of the type post_call_audio report no call',
  ],
  [{ message: { type: 'chat.created', chat: {} } }, 'The event is about no call'],
  [{ event: 'ping' }, 'The event is a ping'],
  [{}, 'The body has no fields'],
  ['', 'The body has no fields'],
  ['hello', 'The body has no fields'],
];
