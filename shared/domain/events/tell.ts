import { eventKinds, type EventName } from '../../contract/events.ts';
import type { RecordRef, Write } from '../../ledger/index.ts';

type SentenceOf<Name extends EventName> = (typeof eventKinds)[Name]['sentence'];

/** A kind of event, and the id of the record that it is about. */
export type Happening<Names extends EventName = EventName> = {
  [Name in Names]: { event: Name; about: string | number } & (SentenceOf<Name> extends string
    ? { variant?: never }
    : { variant: keyof SentenceOf<Name> });
}[Names];

/**
 * The part of a write that appends an event, and adds it to the event lists of the records in `of`, which the
 * write has read to change, or appended.
 */
export function tell(
  write: Write,
  { event, about, variant }: Happening,
  of: readonly RecordRef[] = [],
): void {
  const sentence: string | Readonly<Record<string, string>> = eventKinds[event].sentence;
  const data = typeof sentence === 'string' ? sentence : (sentence[variant ?? ''] ?? '');
  write.event({ event, data, referenceId: String(about) }, of);
}
