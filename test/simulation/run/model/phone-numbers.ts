import { invalid, Refused } from './refusal.ts';

/** Mobile numbers that clients write, by calling code, without a leading 0. */
const plans: Record<string, RegExp> = { 61: /^4915\d{5}$/, 64: /^2112\d{5}$/ };

const callingCodes: Record<string, string> = { AU: '61', NZ: '64' };

/** Separators that people put between digits, and invisible characters around a number. */
const marks = /[\s()\u202A\u202C-]/g;

/**
 * A phone number in E.164, as it must be stored. The model knows only the numbers that the simulation's
 * clients write. @throws Refused for an invalid number
 */
export function storedNumber(written: string, country: string, field: string): string {
  const [number = '', extension] = written.split(' ext. ');
  const digits = number.replaceAll(marks, '');
  const [, code, rest = ''] =
    /^(?:\+|0011|00)(6[14])(\d+)$/.exec(digits) ?? /^()0(\d+)$/.exec(digits) ?? ([] as string[]);
  const callingCode = (code || callingCodes[country]) ?? '';
  if (!plans[callingCode]?.test(rest)) {
    throw new Refused(
      invalid({ field, message: 'must be a phone number, either national or starting with +' }),
    );
  }
  if (extension !== undefined) {
    throw new Refused(invalid({ field, message: 'must be a phone number without an extension' }));
  }
  return `+${callingCode}${rest}`;
}
