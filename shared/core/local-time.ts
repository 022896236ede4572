import { DateTime, FixedOffsetZone, IANAZone, type Zone } from 'luxon';

const minute = 60_000;

/** A time zone; UTC if this version of ICU does not know it: a newer one may have stored it. */
function zoneNamed(timeZone: string): Zone {
  const zone = IANAZone.create(timeZone);
  return zone.isValid ? zone : FixedOffsetZone.utcInstance;
}

/**
 * The local date and time in a time zone at a time in epoch milliseconds, after 1970: the milliseconds at which
 * clocks in UTC show the same. In UTC if this version of ICU does not know the zone.
 */
export const localTimeIn = (timeZone: string, milliseconds: number): number =>
  milliseconds + zoneNamed(timeZone).offset(milliseconds) * minute;

/**
 * The time, in epoch milliseconds, of a local time as `localTimeIn` returns it. A time that a change of the
 * clock skips counts as many minutes later, and one that comes twice counts the first time: as Temporal's
 * `compatible`.
 */
export function timeOfLocal(timeZone: string, local: number): number {
  const inUtc = DateTime.fromMillis(local, { zone: FixedOffsetZone.utcInstance });
  const shown = inUtc.setZone(zoneNamed(timeZone), { keepLocalTime: true });
  // Luxon itself promises neither of the two times.
  const [first = shown] = shown.getPossibleOffsets();
  return first.toMillis();
}
