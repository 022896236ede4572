/**
 * The most usual zone of countries with several zones, or with a zone that some versions of ICU know by an
 * old name.
 */
const usualTimeZones: Readonly<Record<string, string>> = {
  AC: 'Atlantic/St_Helena',
  AR: 'America/Argentina/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CL: 'America/Santiago',
  CY: 'Asia/Nicosia',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Pohnpei',
  GL: 'America/Nuuk',
  IN: 'Asia/Kolkata',
  KI: 'Pacific/Tarawa',
  MH: 'Pacific/Majuro',
  MM: 'Asia/Yangon',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  NP: 'Asia/Kathmandu',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  TA: 'Atlantic/St_Helena',
  UA: 'Europe/Kyiv',
  US: 'America/New_York',
  UZ: 'Asia/Tashkent',
  VN: 'Asia/Ho_Chi_Minh',
  XK: 'Europe/Belgrade',
};

/** Newer versions of Node.js have the method, older ones the property. */
interface LocaleWithZones extends Intl.Locale {
  getTimeZones?(): readonly string[] | undefined;
  timeZones?: readonly string[] | undefined;
}

/** The most usual time zone of a country (ISO 3166 code); `UTC` if it is unknown. */
export function usualTimeZoneOf(country: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return 'UTC';
  const known = usualTimeZones[country];
  if (known !== undefined) return known;
  const locale: LocaleWithZones = new Intl.Locale(`und-${country}`);
  return (locale.getTimeZones?.() ?? locale.timeZones)?.[0] ?? 'UTC';
}

/** Names that this version of ICU has, as far as they were asked for. A clock that knows one takes long to make. */
const names = new Set<string>();

/**
 * Name that this version of ICU has for a time zone, which can be an old name; undefined if the zone is
 * unknown.
 */
function resolved(text: string): string | undefined {
  if (names.has(text)) return text;
  if (!/^[A-Z]/i.test(text)) return undefined;
  try {
    const name = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
    names.add(name);
    return name;
  } catch {
    return undefined;
  }
}

/**
 * True if a text is the name of a time zone, such as `Australia/Sydney`. An offset, such as `+10:00`, is no time zone.
 */
export const isTimeZone = (text: string): boolean => resolved(text) !== undefined;

/**
 * The preferred name of a time zone, from any of its names in any case: `Asia/Kolkata` for `asia/calcutta`.
 * Undefined for no time zone.
 */
export function timeZoneNamed(text: string): string | undefined {
  const name = resolved(text);
  if (name === undefined) return undefined;
  return Object.values(usualTimeZones).find((usual) => resolved(usual) === name) ?? name;
}

/** Date formats by time zone. Creating one takes longer than using it many times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', {
    timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

/**
 * The local date, `YYYY-MM-DD`, in a time zone at a time in epoch milliseconds. The date in UTC if this
 * version of ICU does not know the zone: an operator's machine with a newer version may have stored it.
 */
export function dateIn(timeZone: string, milliseconds: number): string {
  const parts = formatIn(timeZone).formatToParts(milliseconds);
  const { year, month, day } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return [year, month, day].join('-');
}
