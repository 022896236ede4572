import type { Write } from '../../ledger/index.ts';
import { organizationRef } from '../settings/organization-record.ts';

/** Number of decimals that amounts of a currency have (`Intl`): 0 for JPY, 3 for KWD; 2 if the currency is not known. */
export const decimalsOf = (currency: string): number =>
  currency === ''
    ? 2
    : (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
      2);

/** Shows an amount with the decimals of its currency, or as a whole number: `AUD 149.50`, `AUD 90`. */
export const amountOf = (amount: number, currency: string): string =>
  `${currency} ${Number.isInteger(amount) ? amount : amount.toFixed(decimalsOf(currency))}`.trim();

/**
 * Currency of the organization, if one of the fields has a price that is new and has decimals; otherwise undefined.
 * Only such a price costs the read: one call, and 2 read units.
 */
export async function currencyFor<Field extends string>(
  write: Write,
  fields: readonly Field[],
  given: Readonly<Partial<Record<Field, number | undefined>>>,
  before?: Readonly<Record<Field, number>>,
): Promise<string | undefined> {
  const isChecked = (field: Field) =>
    given[field] !== undefined && given[field] !== before?.[field] && !Number.isInteger(given[field]);
  return fields.some(isChecked) ? ((await write.check(organizationRef))?.currency ?? '') : undefined;
}
