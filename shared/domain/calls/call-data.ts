import type { CallData } from '../../contract/inquiry-data.ts';
import { isWebLink } from '../../contract/link.ts';
import { cutText } from '../../core/cut-text.ts';
import { readableLine } from '../../core/readable.ts';
import type { SentField } from '../../contract/sent-form.ts';
import { cutTo } from '../forms/fit-fields.ts';
import { joinedFields } from '../forms/kept-fields.ts';
import type { ReportedCall, Turn } from './reported-call.ts';

/** Stored data of a call, without its id. */
export type StoredCall = Omit<CallData, 'id'>;

const max = {
  turns: 1000,
  turn: 20_000,
  summary: 10_000,
  link: 2000,
  reason: 200,
  seconds: 10_000_000,
} as const;
/**
 * Maximum bytes of UTF-8 of the turns, of one finding, and of all findings. An item of the table has 400 KB at most.
 */
const maxBytes = { turns: 224 * 1024, finding: 1000, findings: 48 * 1024 } as const;

/** Data of a call, from one report. @param now ISO 8601, for unknown times */
export function callDataOf(call: ReportedCall, now: string): StoredCall {
  const { duration, direction, endedBy, findings } = call;
  const link = readableLine(call.recordingUrl, max.link);
  const [startedAt, endedAt] = [knownTime(call.startedAt), knownTime(call.endedAt)];
  const between = startedAt !== undefined && endedAt !== undefined ? (endedAt - startedAt) / 1000 : duration;
  const seconds = Math.min(Math.max(0, between ?? 0), max.seconds);
  const start = startedAt ?? (endedAt ?? Date.parse(now)) - seconds * 1000;
  return {
    summary: cutText(call.summary.trim(), max.summary),
    keyPoints: [],
    recordingUrl: isWebLink(link) ? link : '',
    transcripts: fitting(call.turns).map(({ user, text, seconds: after = 0 }, at) => ({
      id: String(at + 1),
      created_at: isoOf(start + after * 1000, now),
      text,
      user,
    })),
    direction: direction ?? 'LEAD_TO_AI',
    duration: seconds,
    startedAt: isoOf(start, now),
    endedAt: endOf(isoOf(start, now), seconds),
    endedBy: endedBy ?? 'user',
    endReason: readableLine(call.endReason, max.reason),
    fields: fittingFindings(findingsOf(findings)),
  };
}

/** First millisecond after the times that the API's format can express. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z') + 1;

const knownTime = (milliseconds = -1): number | undefined =>
  milliseconds >= 0 && milliseconds < endOfTime ? milliseconds : undefined;

/** Time in the API's format; `now` if the time is out of range. */
const isoOf = (milliseconds: number, now: string): string =>
  knownTime(milliseconds) === undefined ? now : new Date(milliseconds).toISOString();

/** End of a call: its beginning plus its duration, so that the times of several events cannot contradict each other. */
const endOf = (startedAt: string, seconds: number): string =>
  isoOf(Date.parse(startedAt) + seconds * 1000, startedAt);

/** Turns with text, as many as an item holds. If some do not fit, the last turn says how many. */
function fitting(turns: readonly Turn[]): Turn[] {
  const said = turns
    .map((turn) => ({ ...turn, text: cutText(turn.text.trim(), max.turn) }))
    .filter(({ text }) => text !== '');
  let room: number = maxBytes.turns;
  const end = said.findIndex(({ text }, at) => (room -= Buffer.byteLength(text)) < 0 || at === max.turns - 1);
  if (end === -1 || end === said.length - 1) return said;
  const kept = said.slice(0, end);
  return [...kept, { user: 'assistant', text: `… (${said.length - end} more turns, not kept)` }];
}

/** Findings by name, each cut to its maximum. Findings with the same name are joined. */
const findingsOf = (findings: readonly SentField[]): Map<string, string> =>
  new Map([...joinedFields(findings)].map(([name, value]) => [name, cutTo(maxBytes.finding, value)]));

/**
 * The first findings in the order of their names, as many as fit. Each counts with its maximum size. So the choice
 * depends on the names alone, and not on the order of events.
 */
function fittingFindings(findings: ReadonlyMap<string, string>): Record<string, string> {
  let room = maxBytes.findings;
  const first = [...findings]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .filter(([name]) => (room -= Buffer.byteLength(name) + maxBytes.finding) >= 0);
  return Object.fromEntries(first);
}

/**
 * Data of a call, merged with the data of another event: keeps the better value of each part. The order of the events,
 * and repeats of them, do not change the result.
 *
 * - The longest transcript and summary, and the longest value of each finding.
 * - Of equal transcripts, the transcript with the earliest times.
 * - The earliest beginning, and the longest duration.
 * - The reason of the end, and who ended the call, from the event that knows a reason.
 *
 * But the first link stays: a made-up event must not replace the platform's link.
 */
export function mergedCall<D extends StoredCall>(known: D, other: StoredCall): D {
  const ended = isBetter(known.endReason, other.endReason) ? other : known;
  const duration = Math.max(known.duration, other.duration);
  const startedAt = known.startedAt < other.startedAt ? known.startedAt : other.startedAt;
  return {
    ...known,
    summary: isBetter(known.summary, other.summary) ? other.summary : known.summary,
    recordingUrl: known.recordingUrl || other.recordingUrl,
    transcripts: saysMore(known, other) ? other.transcripts : known.transcripts,
    direction: [known, other].some(isOutgoing) ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    duration,
    startedAt,
    endedAt: endOf(startedAt, duration),
    endedBy: ended.endedBy,
    endReason: ended.endReason,
    fields: mergedFields(known.fields, other.fields),
  };
}

const isOutgoing = ({ direction }: StoredCall) => direction === 'AI_TO_LEAD';

const said = ({ transcripts }: StoredCall): string => transcripts.map(({ text }) => text).join('\n');

/** True if the transcript of another report is better than the known one. */
function saysMore(known: StoredCall, other: StoredCall): boolean {
  if (said(known) !== said(other)) return isBetter(said(known), said(other));
  return whenSaid(other) < whenSaid(known);
}

/** Times and speakers of a transcript as text, to compare transcripts with the same words. */
const whenSaid = ({ transcripts }: StoredCall): string =>
  transcripts.map(({ created_at, user }) => `${created_at} ${user}`).join('\n');

/** True if a text is longer than the known text, or has the same length and sorts after it. */
const isBetter = (known: string, text: string): boolean =>
  text.length > known.length || (text.length === known.length && text > known);

function mergedFields(known: Record<string, string>, other: Record<string, string>): Record<string, string> {
  const fields = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(other))
    if (isBetter(fields.get(name) ?? '', value)) fields.set(name, value);
  return fittingFindings(fields);
}
