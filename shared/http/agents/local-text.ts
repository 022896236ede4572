const formatIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });

/** Shows a stored time to a model. */
export type LocalText = (time: string) => string;

/**
 * Shows times in a time zone, with offset and weekday: `2026-12-08T09:00+11:00 (Tuesday)`. A model can copy the time
 * into an argument. Without a zone, or with a zone that this version of ICU does not know, the times are in UTC.
 */
export function localTextIn(timeZone: string | null): LocalText {
  const format = formatOf(timeZone);
  return (time) => {
    const part = Object.fromEntries(
      format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]),
    );
    const { weekday, year, month, day, hour, minute, timeZoneName = '' } = part;
    return `${year}-${month}-${day}T${hour}:${minute}${timeZoneName.replace('GMT', '') || '+00:00'} (${weekday})`;
  };
}

/** Format of times in a zone; in UTC for an absent or an unknown one. */
function formatOf(timeZone: string | null): Intl.DateTimeFormat {
  try {
    return formatIn(timeZone ?? 'UTC');
  } catch {
    return formatIn('UTC');
  }
}
