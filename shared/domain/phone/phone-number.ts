import { invalid } from '../../core/failure.ts';

/**
 * What a text can stand for, likeliest first. 0011 and 00 are what people dial for `+`, wherever they are; a country's own way is
 * known with the country. 0011 goes before it, since in most countries it would be 00 and then a number of North America.
 */
function readingsOf(text: string): string[] {
  if (text.startsWith('0011')) return [`+${text.slice(4)}`, text];
  return text.startsWith('00') ? [text, `+${text.slice(2)}`] : [text];
}

/**
 * A phone number in E.164; a national one is read as a number of that country (ISO 3166 code). It is one that the numbering plan
 * of its country has, which does not say that it is in use.
 *
 * @throws Failure `invalid` naming `field`.
 */
export async function toE164(phone: string, country: string, field = 'phone'): Promise<string> {
  // Loaded on first use: its tables are large, and most invocations read.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const defaultCountry = isSupportedCountry(country) ? { defaultCountry: country } : {};
  // Address books put marks around a number that nobody sees.
  const written = phone.replaceAll(/\p{Cf}/gu, '').trim();
  for (const reading of readingsOf(written)) {
    const parsed = parsePhoneNumberFromString(reading, { extract: false, ...defaultCountry });
    if (!parsed?.isValid()) continue;
    if (parsed.ext !== undefined) {
      throw invalid([{ field, message: 'must be a phone number without an extension' }]);
    }
    return parsed.number;
  }
  throw invalid([{ field, message: 'must be a phone number, either national or starting with +' }]);
}
