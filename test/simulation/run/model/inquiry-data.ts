import type { Fields } from '../same.ts';

/**
 * Data of a source as it must be stored, from a client's input. Unknown times become the time of the change.
 */
export function completeData(source: string, given: Fields, now: string): Fields {
  switch (source) {
    case 'CALL':
      return completeCall(given, now);
    case 'EMAIL':
      return {
        subject: '',
        from: '',
        to: '',
        body: '',
        ...given,
        receivedAt: timeOf(given['receivedAt'], now),
      };
    case 'CHATBOT':
      return {
        messages: numbered(oldestFirst(entriesOf(given, 'messages'), now)).map((message) => ({
          user: 'user',
          text: '',
          ...message,
        })),
      };
    case 'SMS':
      return {
        messages: oldestFirst(entriesOf(given, 'messages'), now).map(
          ({ direction = 'INBOUND', text = '', createdAt }) => ({
            ...{ direction, text, userId: null, status: direction === 'INBOUND' ? 'RECEIVED' : 'SENT' },
            createdAt,
          }),
        ),
      };
    default: {
      const { formName = '', fields = {}, submittedAt } = given;
      return { formName, fields, submittedAt: timeOf(submittedAt, now) };
    }
  }
}

function completeCall(given: Fields, now: string): Fields {
  const { startedAt, endedAt, duration } = given;
  const after = (start: string, seconds: number) =>
    new Date(Date.parse(start) + seconds * 1000).toISOString();
  const begun = startedAt === undefined ? undefined : timeOf(startedAt, now);
  const end =
    endedAt === undefined && begun !== undefined && duration !== undefined
      ? after(begun, Number(duration))
      : timeOf(endedAt, now);
  const start = begun ?? after(end, -Number(duration ?? 0));
  return {
    ...{ summary: '', keyPoints: [], recordingUrl: '', direction: 'LEAD_TO_AI', endedBy: 'user' },
    ...given,
    transcripts: numbered(entriesOf(given, 'transcripts')).map((entry) => ({
      ...{ text: '', user: 'user', ...entry },
      created_at: timeOf(entry['created_at'], now),
    })),
    startedAt: start,
    endedAt: end,
    duration: duration ?? Math.max(0, (Date.parse(end) - Date.parse(start)) / 1000),
  };
}

/**
 * Sorts messages by time, and keeps the order of equal ones. A message without a time gets that of the
 * change.
 */
function oldestFirst(messages: readonly Fields[], now: string): Fields[] {
  const ordered: Fields[] = [];
  for (const message of messages) {
    const createdAt = timeOf(message['createdAt'], now);
    const newer = ordered.findIndex((other) => (other['createdAt'] as string) > createdAt);
    ordered.splice(newer === -1 ? ordered.length : newer, 0, { ...message, createdAt });
  }
  return ordered;
}

/**
 * Adds ids to turns: the position of each, or the first free number by steps of the number of turns if
 * another turn has that.
 */
function numbered(turns: readonly Fields[]): Fields[] {
  const isTaken = (id: number) => turns.some((turn) => turn['id'] === String(id));
  const free = (id: number): number => (isTaken(id) ? free(id + turns.length) : id);
  return turns.map((turn, at) => ({ ...turn, id: turn['id'] ?? String(free(at + 1)) }));
}

const entriesOf = (given: Fields, name: string) => (given[name] ?? []) as Fields[];

/** A time in the API's format. */
const timeOf = (given: unknown, now: string): string =>
  given === undefined ? now : new Date(given as string).toISOString();
