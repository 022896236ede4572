import { DateTime, FixedOffsetZone, IANAZone, type Zone } from 'luxon';

const minute = 60_000;

/** A time zone; UTC if this version of ICU does not know it: a newer one may have stored it. */
function zoneNamed(timeZone: string): Zone {
  const zone = IANAZone.create(timeZone);
  return zone.isValid ? zone : FixedOffsetZone.utcInstance;
}

/**
 * The local date and time in a time zone, at a time in epoch milliseconds after 1970. The result is the epoch
 * milliseconds when clocks in UTC show this date and time. The result is in UTC if this version of ICU does not know
 * the zone.
 */
export const localTimeIn = (timeZone: string, milliseconds: number): number =>
  milliseconds + zoneNamed(timeZone).offset(milliseconds) * minute;

/** Side of the change on which a time lies, if the clock goes back and shows its local time twice; otherwise undefined. */
export function sideOfRepeat(timeZone: string, milliseconds: number): 'before' | 'after' | undefined {
  const times = DateTime.fromMillis(milliseconds, { zone: zoneNamed(timeZone) }).getPossibleOffsets();
  if (times.length < 2) return undefined;
  return times[0]?.toMillis() === milliseconds ? 'before' : 'after';
}

/**
 * The time, in epoch milliseconds, of a local time as `localTimeIn` returns it. If a change of the clock skips the
 * local time, the result is later by the skipped minutes. If the local time comes twice, the first time counts.
 * Temporal calls this rule `compatible`.
 */
export function timeOfLocal(timeZone: string, local: number): number {
  const inUtc = DateTime.fromMillis(local, { zone: FixedOffsetZone.utcInstance });
  const shown = inUtc.setZone(zoneNamed(timeZone), { keepLocalTime: true });
  // Luxon itself promises neither of the two times.
  const [first = shown] = shown.getPossibleOffsets();
  return first.toMillis();
}
