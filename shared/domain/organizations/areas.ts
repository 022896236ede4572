import type { Address } from '../../contract/address.ts';
import { foldForSearch } from '../../core/fold-case.ts';

/**
 * True if an organization serves certain areas, and neither the suburb nor the postcode of a place, as far as they are
 * known, is one of them. Case, accents and spaces do not count.
 */
export function isOutside(
  areasServed: readonly string[],
  { suburb = '', postcode = '' }: Partial<Pick<Address, 'suburb' | 'postcode'>>,
): boolean {
  const known = [suburb, postcode].map(folded).filter((area) => area !== '');
  const served = new Set(areasServed.map(folded));
  return served.size > 0 && known.length > 0 && !known.some((area) => served.has(area));
}

const folded = (area: string): string => foldForSearch(area).replaceAll(/\s+/g, '');

/** Sentence to be read out, and another one if the place is outside. */
export const withArea = (sentence: string, outside: boolean): string =>
  outside ? `${sentence} The place is outside the area that we serve.` : sentence;
