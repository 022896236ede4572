import countryToCurrency from 'country-to-currency';
import type { Organization } from '../../contract/organization-settings.ts';
import { noHours, weekdays } from '../../contract/opening-hours.ts';

/** Methods that Node.js has, and TypeScript does not know yet. */
interface LocaleOfRegion extends Intl.Locale {
  getHourCycles?(): readonly string[];
  getWeekInfo?(): { firstDay: number };
}

/** Currencies by country, with the two countries of phone numbers that ISO 3166 only reserves. */
const currencies: Readonly<Record<string, string>> = { ...countryToCurrency, AC: 'SHP', TA: 'GBP' };

/** Settings of a new organization: the usual settings of its country (ISO 3166 code). */
export function newSettings(country: string): Omit<Organization, 'id' | 'name' | 'country' | 'timeZone'> {
  // With its most usual language: French Canada writes 17 h, the rest of the country 5 pm.
  const locale: LocaleOfRegion = new Intl.Locale(`und-${country}`).maximize();
  const [hourCycle] = locale.getHourCycles?.() ?? [];
  // Days are numbered from Monday, 1, to Sunday, 7.
  const { firstDay } = locale.getWeekInfo?.() ?? { firstDay: 1 };
  return {
    businessPhone: '',
    website: '',
    socials: {},
    currency: currencies[country] ?? '',
    timeFormat: hourCycle === 'h12' ? '12h' : '24h',
    weekStart: weekdays[firstDay % 7] ?? 'monday',
    openingHours: noHours,
    holidays: [],
    onCallHours: noHours,
    areasServed: [],
  };
}
