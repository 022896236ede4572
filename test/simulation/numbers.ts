import { Invalid } from './errors.ts';

/** DynamoDB's number of significant digits. */
const maxDigits = 38;

/** A number as significant digits without zeros at either end, and the power of ten of its last digit. */
interface Decimal {
  negative: boolean;
  digits: string;
  exponent: number;
}

const plainInteger = /^-?[1-9][0-9]{0,14}$/;
const anyNumber = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

function decimalOf(text: string): Decimal {
  const match = anyNumber.exec(text);
  const [, sign = '', whole = '', fraction = '', power = '0'] = match ?? [];
  if (!match || whole + fraction === '')
    throw new Invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  const exponent = digits === '' ? 0 : Number(power) - fraction.length + all.length - digits.length;
  if (digits.length > maxDigits) {
    throw new Invalid(`Attempting to store more than ${maxDigits} significant digits in a Number`);
  }
  const magnitude = digits === '' ? 0 : exponent + digits.length - 1;
  if (magnitude > 125 || magnitude < -130) throw new Invalid('Number overflow or underflow');
  return { negative: sign === '-' && digits !== '', digits, exponent };
}

function textOf({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const whole = digits.length + exponent;
  return whole > 0
    ? `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`
    : `${sign}0.${'0'.repeat(-whole)}${digits}`;
}

/**
 * Formats a number as DynamoDB returns it: no exponent, no unneeded zeros. @throws Invalid for text that is
 * no number
 */
export const canonicalNumber = (text: string): string =>
  plainInteger.test(text) || text === '0' ? text : textOf(decimalOf(text));

/** Bytes of a number: one for two digits, one more, and one for a minus sign. */
export function numberSize(text: string): number {
  if (plainInteger.test(text)) {
    const isNegative = text.startsWith('-');
    let end = text.length;
    while (text[end - 1] === '0') end--;
    return Math.ceil((end - (isNegative ? 1 : 0)) / 2) + 1 + (isNegative ? 1 : 0);
  }
  const { digits, negative } = decimalOf(text);
  return Math.ceil(digits.length / 2) + 1 + (negative ? 1 : 0);
}

/** Scales both numbers to integers. */
function scaled(a: string, b: string): { left: bigint; right: bigint; exponent: number } {
  const [one, other] = [decimalOf(a), decimalOf(b)];
  const exponent = Math.min(one.exponent, other.exponent);
  const integerOf = ({ negative, digits, exponent: own }: Decimal) =>
    BigInt(digits || '0') * 10n ** BigInt(own - exponent) * (negative ? -1n : 1n);
  return { left: integerOf(one), right: integerOf(other), exponent };
}

export function addNumbers(a: string, b: string): string {
  if (plainInteger.test(a) && plainInteger.test(b)) return String(Number(a) + Number(b));
  const { left, right, exponent } = scaled(a, b);
  return canonicalNumber(`${left + right}e${exponent}`);
}

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  if (plainInteger.test(a) && plainInteger.test(b)) return Number(a) - Number(b);
  const { left, right } = scaled(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}
