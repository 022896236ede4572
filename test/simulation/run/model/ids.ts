const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Public id of a record (`docs/reference/conventions.md`, "Values"). */
export function idOf(prefix: string, code: string, number: number): string {
  let text = '';
  for (let rest = number; text.length < 8; rest = Math.floor(rest / 32)) text = digits[rest % 32]! + text;
  return `${prefix}_${code}${text}`;
}

/** Number in an id of this organization; 0 for any other text. */
export function numberIn(id: unknown, prefix: string, code: string): number {
  if (typeof id !== 'string' || !id.startsWith(`${prefix}_${code}`)) return 0;
  let number = 0;
  for (const digit of id.slice(prefix.length + 1 + code.length)) number = number * 32 + digits.indexOf(digit);
  return number;
}

/** Number of a record from its id, in whatever organization. */
export const numberAtEnd = (id: unknown): number =>
  typeof id === 'number' ? id : numberIn(id, ...splitId(String(id)));
const splitId = (id: string): [prefix: string, code: string] => {
  const [prefix = '', rest = ''] = id.split('_');
  return [prefix, rest.slice(0, 8)];
};

/** A number as part of a sort key. */
export const padded = (number: number) => String(number).padStart(12, '0');
