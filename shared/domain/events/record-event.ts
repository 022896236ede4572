import { eventKinds, type ChangedValue, type EventKind, type EventName } from '../../contract/events.ts';
import type { RecordRef, Write } from '../../ledger/index.ts';

type SentenceOf<Name extends EventName> = (typeof eventKinds)[Name]['sentence'];

/** What chooses or fills in the sentence of an event. */
type DetailOf<Sentence> = Sentence extends (values: ChangedValue) => string
  ? { values: ChangedValue; variant?: never }
  : Sentence extends string
    ? { variant?: never; values?: never }
    : { variant: keyof Sentence; values?: never };

/** A kind of event, and the id of the record that it is about. */
export type EventInput<Names extends EventName = EventName> = {
  [Name in Names]: { event: Name; about: string | number } & DetailOf<SentenceOf<Name>>;
}[Names];

/**
 * The part of a write that appends an event, and adds it to the event lists of the records in `of`, which the
 * write has read to change, or appended.
 */
export function recordEvent(
  write: Write,
  { event, about, variant, values }: EventInput,
  of: readonly RecordRef[] = [],
): void {
  const data = sentenceOf(eventKinds[event].sentence, { variant, values });
  write.event({ event, data, referenceId: String(about) }, of);
}

function sentenceOf(
  sentence: EventKind['sentence'],
  { variant = '', values }: { variant?: string | undefined; values?: ChangedValue | undefined },
): string {
  if (typeof sentence === 'string') return sentence;
  if (typeof sentence === 'function') return values ? sentence(values) : '';
  return sentence[variant] ?? '';
}
