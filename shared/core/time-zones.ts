/** The usual zone of a country that has several, or whose only one goes by an old name in some versions of ICU. */
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

/** The time zone that most of a country (ISO 3166 code) keeps; `UTC` where that is not known. */
export function usualTimeZoneOf(country: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return 'UTC';
  const known = usualTimeZones[country];
  if (known !== undefined) return known;
  const locale: LocaleWithZones = new Intl.Locale(`und-${country}`);
  return (locale.getTimeZones?.() ?? locale.timeZones)?.[0] ?? 'UTC';
}

/** The name by which this version of ICU knows a time zone, which can be an old one; undefined where it knows none. */
function resolved(text: string): string | undefined {
  if (!/^[A-Z]/i.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Whether a text is the name of a time zone, such as `Australia/Sydney`. An offset, such as `+10:00`, is none. */
export const isTimeZone = (text: string): boolean => resolved(text) !== undefined;

/** The one name of a time zone that has several, in any case: `Asia/Kolkata` for `asia/calcutta`. Undefined for none. */
export function timeZoneNamed(text: string): string | undefined {
  const name = resolved(text);
  if (name === undefined) return undefined;
  return Object.values(usualTimeZones).find((usual) => resolved(usual) === name) ?? name;
}

/** Formats of dates by time zone. To make one takes longer than to use it often. */
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
 * The date, `YYYY-MM-DD`, that a clock in a time zone shows at a moment, in epoch milliseconds. Where this version of ICU
 * does not know the zone, since an operator's newer one stored it, the date in UTC.
 */
export function dateIn(timeZone: string, milliseconds: number): string {
  const parts = formatIn(timeZone).formatToParts(milliseconds);
  const valueOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return [valueOf('year'), valueOf('month'), valueOf('day')].join('-');
}
