import { noZone } from '../contract/fields.ts';
import { Failure, invalid, type FieldProblem } from '../core/failure.ts';
import { textAt } from '../core/json-parts.ts';
import { localTimeIn, timeOfLocal } from '../core/local-time.ts';
import type { FunctionPrincipal } from '../ledger/index.ts';
import { readTimeZone } from './time-zone.ts';

/**
 * Validates a body. If a time lacks its zone, the refusal names the organization's zone, and the same time with its
 * offset there. One round trip, for such a refusal alone.
 */
export async function namingOffsets<T>(
  validate: () => T,
  sent: unknown,
  principal: FunctionPrincipal,
): Promise<T> {
  try {
    return validate();
  } catch (error) {
    const details = error instanceof Failure ? (error.extras.details ?? []) : [];
    if (!details.some(({ message }) => message.startsWith(noZone))) throw error;
    const timeZone = await readTimeZone(principal).catch(() => undefined);
    const [first, ...rest] = details.map((problem) => withOffset(problem, sent, timeZone));
    if (!first || timeZone === undefined) throw error;
    const { more = 0 } = error instanceof Failure ? error.extras : {};
    const { kind, message, extras } = invalid([first, ...rest], details.length + more);
    throw new Failure(kind, message, { ...extras, quotesInput: true });
  }
}

function withOffset({ field, message }: FieldProblem, sent: unknown, timeZone = 'UTC'): FieldProblem {
  const given = textAt(sent, ...field.split('.')).replace(' ', 'T');
  const local = Date.parse(`${given}Z`);
  // JavaScript reads 30 February as 2 March.
  const isDate = !Number.isNaN(local) && new Date(local).toISOString().startsWith(given.slice(0, 10));
  if (!message.startsWith(noZone) || !isDate) return { field, message };
  const time = timeOfLocal(timeZone, local);
  const shown = localTimeIn(timeZone, time);
  const offset = new Date(Math.abs(shown - time)).toISOString().slice(11, 16);
  const text = `${new Date(shown).toISOString().slice(0, 16)}${shown < time ? '-' : '+'}${offset}`;
  return { field, message: `${noZone}; the time zone of the organization is ${timeZone}, so send ${text}` };
}
