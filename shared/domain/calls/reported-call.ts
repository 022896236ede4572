import type { Platform } from '../../contract/call-events.ts';
import type { CallData } from '../../contract/inquiry-data.ts';
import type { SentField } from '../../contract/sent-form.ts';

/** One turn of a call. `seconds` counts from the beginning of the call; undefined if not known. */
export interface Turn {
  user: CallData['transcripts'][number]['user'];
  text: string;
  seconds?: number | undefined;
}

/** Report of a call in one event of a platform. Values that the event lacks are undefined or empty. */
export interface ReportedCall {
  platform: Platform;
  /** Id of the call on the platform, the same in all its events. */
  callId: string;
  /** Phone number of the lead, as the platform writes it; empty if it is hidden. */
  phone: string;
  direction: CallData['direction'] | undefined;
  /** Epoch milliseconds. */
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** Seconds. */
  duration: number | undefined;
  /** Reason of its end, in the platform's words. */
  endReason: string;
  endedBy: CallData['endedBy'] | undefined;
  summary: string;
  recordingUrl: string;
  turns: readonly Turn[];
  /** Findings of the platform's analysis, by the names that were given there. */
  findings: readonly SentField[];
}

/**
 * Finds who ended a call, by the reason: the system, if the reason is neither the user's nor the assistant's. Undefined
 * without a reason.
 */
export function enderOf(
  reason: string,
  { isUsers, isAssistants }: { isUsers: boolean; isAssistants: boolean },
): ReportedCall['endedBy'] {
  if (reason === '') return undefined;
  if (isUsers) return 'user';
  return isAssistants ? 'assistant' : 'system';
}

/** Turns in a transcript of lines such as `Agent: Hello`, if a platform sends no list of turns. */
export const turnsIn = (transcript: string): Turn[] =>
  transcript.split('\n').flatMap((line): Turn[] => {
    const [, speaker = '', text = ''] =
      /^(agent|ai|assistant|bot|user|customer): (.+)$/i.exec(line.trim()) ?? [];
    return text === '' ? [] : [{ user: /^[uc]/i.test(speaker) ? 'user' : 'assistant', text }];
  });
