import { eventKinds, type ChangedValue, type EventKind, type EventName } from '../../contract/events.ts';
import type { RecordRef, Write } from '../../ledger/index.ts';

type SentenceOf<Name extends EventName> = (typeof eventKinds)[Name]['sentence'];

/** The values that choose or complete the sentence of an event. */
type DetailOf<Sentence> = Sentence extends (values: ChangedValue) => string
  ? { values: ChangedValue; variant?: never }
  : Sentence extends string
    ? { variant?: never; values?: never }
    : { variant: keyof Sentence; values?: never };

/** The names of the changed fields, if they differ from event to event. */
type FieldsOf<Kind> = Kind extends { changes: true } ? { fields: readonly string[] } : { fields?: never };

/** A kind of event, and the id of the record that it is about. */
export type EventInput<Names extends EventName = EventName> = {
  [Name in Names]: { event: Name; about: string | number } & DetailOf<SentenceOf<Name>> &
    FieldsOf<(typeof eventKinds)[Name]>;
}[Names];

/** The same for a change, without the names of the changed fields. */
export type ChangeInput = {
  [Name in EventName]: (typeof eventKinds)[Name] extends { changes: true; sentence: string }
    ? { event: Name; about: string | number }
    : never;
}[EventName];

/**
 * Appends an event, as part of a write, and adds it to the event lists of the records in `listedFor`. The
 * write must have read those records to change them, or appended them.
 */
export function recordEvent(
  write: Write,
  { event, about, variant, values, fields }: EventInput,
  listedFor: readonly RecordRef[] = [],
): void {
  const { sentence, changes }: EventKind = eventKinds[event];
  const data = sentenceOf(sentence, { variant, values });
  const changed = changes === true ? fields : changes;
  const details = { ...(values && { values }), ...(changed && { fields: [...changed] }) };
  write.event({ event, data, ...details, referenceId: String(about) }, listedFor);
}

function sentenceOf(
  sentence: EventKind['sentence'],
  { variant = '', values }: { variant?: string | undefined; values?: ChangedValue | undefined },
): string {
  if (typeof sentence === 'string') return sentence;
  if (typeof sentence === 'function') return values ? sentence(values) : '';
  return sentence[variant] ?? '';
}
