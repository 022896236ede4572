import type { Platform } from '../../contract/call-events.ts';
import type { CallData } from '../../contract/inquiry-data.ts';
import type { SentField } from '../../contract/sent-form.ts';

/** One turn of a call. `seconds` counts from its beginning; undefined if that is not known. */
export interface Turn {
  user: CallData['transcripts'][number]['user'];
  text: string;
  seconds?: number | undefined;
}

/** Call as one event of a platform reports it. What the event does not say is undefined or empty. */
export interface ReportedCall {
  platform: Platform;
  /** Id of the call on the platform, which all its events have. */
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

/** Finds who ended a call for a reason: the system for one that is neither's, and undefined for none. */
export function enderOf(
  reason: string,
  { isUsers, isAssistants }: { isUsers: boolean; isAssistants: boolean },
): ReportedCall['endedBy'] {
  if (reason === '') return undefined;
  if (isUsers) return 'user';
  return isAssistants ? 'assistant' : 'system';
}

/** Turns in a transcript of lines such as `Agent: Hello`, where a platform sends no list of them. */
export const turnsIn = (transcript: string): Turn[] =>
  transcript.split('\n').flatMap((line): Turn[] => {
    const [, speaker = '', text = ''] =
      /^(agent|ai|assistant|bot|user|customer): (.+)$/i.exec(line.trim()) ?? [];
    return text === '' ? [] : [{ user: /^[uc]/i.test(speaker) ? 'user' : 'assistant', text }];
  });
