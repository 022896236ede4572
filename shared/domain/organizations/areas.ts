import type { Address } from '../../contract/address.ts';
import { foldForSearch } from '../../core/fold-case.ts';

/**
 * True if an organization has set the areas that it serves, and none of these areas is the suburb or the postcode of a
 * place. False if both are unknown. Case, accents, spaces and full stops do not count, nor the way to type an apostrophe or a
 * dash.
 */
export function isOutside(
  areasServed: readonly string[],
  { suburb = '', postcode = '' }: Partial<Pick<Address, 'suburb' | 'postcode'>>,
): boolean {
  const known = [suburb, postcode].map(folded).filter((area) => area !== '');
  const served = new Set(areasServed.map(folded));
  return served.size > 0 && known.length > 0 && !known.some((area) => served.has(area));
}

const folded = (area: string): string => foldForSearch(area).replaceAll(/[\s.]+/g, '');

/** Sentence to read out, and another sentence if the place is outside. */
export const withArea = (sentence: string, outside: boolean): string =>
  outside ? `${sentence} The place is outside the area that we serve.` : sentence;
