import type { NewInquiry } from '../../contract/new-inquiry.ts';
import type { SourceToStore } from './sources.ts';

type DataOf<S extends NewInquiry['source']> = Extract<NewInquiry, { source: S }>['data'];
type Complete<S extends SourceToStore['source']> = Extract<SourceToStore, { source: S }>['data'];

/** Data of a source from a client's input, with defaults for missing fields. Unknown times are `now`. */
export function toSource({ source, data }: NewInquiry, now: string): SourceToStore {
  switch (source) {
    case 'CALL':
      return { source, data: toCall(data, now) };
    case 'EMAIL': {
      const { subject = '', from = '', to = '', body = '', receivedAt = now } = data;
      return { source, data: { subject, from, to, body, receivedAt } };
    }
    case 'CHATBOT': {
      const { messages = [] } = data;
      const entries = withIds(inOrder(messages, now));
      return { source, data: { messages: entries.map((message) => toChatMessage(message, now)) } };
    }
    case 'SMS': {
      const { messages = [] } = data;
      return { source, data: { messages: inOrder(messages, now).map((message) => toMessage(message, now)) } };
    }
    case 'WEBFORM': {
      const { formName = '', fields = {}, submittedAt = now } = data;
      return { source, data: { formName, fields, submittedAt } };
    }
  }
}

function toCall({ transcripts = [], ...call }: DataOf<'CALL'>, now: string): Complete<'CALL'> {
  const { summary = '', keyPoints = [], recordingUrl = '' } = call;
  const { direction = 'LEAD_TO_AI', endedBy = 'user', endReason = '', fields = {} } = call;
  return {
    summary,
    keyPoints,
    recordingUrl,
    transcripts: withIds(transcripts).map(({ id, created_at = now, text = '', user = 'user' }) => ({
      id,
      created_at,
      text,
      user,
    })),
    direction,
    endedBy,
    endReason,
    fields,
    ...timesOf(call, now),
  };
}

/** Start, end and duration in seconds of a call: each as given, or computed from the others. */
function timesOf(
  { startedAt, endedAt, duration }: DataOf<'CALL'>,
  now: string,
): Pick<Complete<'CALL'>, 'startedAt' | 'endedAt' | 'duration'> {
  const later = (time: string, seconds: number) =>
    new Date(Math.min(Math.max(Date.parse(time) + seconds * 1000, minTime), maxTime)).toISOString();
  const isCounted = startedAt !== undefined && duration !== undefined;
  const end = endedAt ?? (isCounted ? later(startedAt, duration) : now);
  const start = startedAt ?? later(end, -(duration ?? 0));
  const seconds = Math.max(0, (Date.parse(end) - Date.parse(start)) / 1000);
  return { startedAt: start, endedAt: end, duration: duration ?? seconds };
}

/** Milliseconds of the first and last time that a timestamp with a four-digit year can have. */
const minTime = Date.parse('0000-01-01T00:00:00.000Z');
const maxTime = Date.parse('9999-12-31T23:59:59.999Z');

/** Messages by time, oldest first. Messages of the same time keep their order. */
const inOrder = <M extends { createdAt?: string | undefined }>(messages: readonly M[], now: string): M[] =>
  messages.toSorted((a, b) => Date.parse(a.createdAt ?? now) - Date.parse(b.createdAt ?? now));

/** Gives an id to each entry that has none: its position, or another number if some entry has that id. */
function withIds<T extends { id?: string | undefined }>(entries: readonly T[]): (T & { id: string })[] {
  const given = new Set(entries.map(({ id }) => id));
  return entries.map((entry, at) => {
    let number = at + 1;
    // Steps of the whole length never reach another entry's position.
    while (given.has(String(number))) number += entries.length;
    return { ...entry, id: entry.id || String(number) };
  });
}

type IdentifiedMessage = NonNullable<DataOf<'CHATBOT'>['messages']>[number] & { id: string };

function toChatMessage(
  { id, user = 'user', text = '', createdAt }: IdentifiedMessage,
  now: string,
): Complete<'CHATBOT'>['messages'][number] {
  return { id, user, text, createdAt: createdAt ?? now };
}

function toMessage(
  { direction = 'INBOUND', text = '', createdAt }: NonNullable<DataOf<'SMS'>['messages']>[number],
  now: string,
): Complete<'SMS'>['messages'][number] {
  const status = direction === 'INBOUND' ? 'RECEIVED' : 'SENT';
  return { direction, text, status, userId: null, createdAt: createdAt ?? now };
}
