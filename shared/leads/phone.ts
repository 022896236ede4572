import { invalid } from '../endpoints/errors.ts';

/**
 * A phone number in E.164; a national one is read as a number of that country (ISO 3166 code).
 * Checks that a number of that length is possible there, not that it is in use: numbering plans change too often.
 *
 * @throws Failure `invalid` naming the field `phone`.
 */
export async function toE164(phone: string, country: string): Promise<string> {
  // Loaded on first use: its tables are large, and most invocations read.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const parsed = parsePhoneNumberFromString(phone, {
    extract: false,
    ...(isSupportedCountry(country) && { defaultCountry: country }),
  });
  if (!parsed?.isPossible() || parsed.ext !== undefined) {
    throw invalid([
      { field: 'phone', message: 'must be a phone number, either national or starting with +' },
    ]);
  }
  return parsed.number;
}
