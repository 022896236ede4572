import type { Product } from '../../contract/products.ts';
import type { Service } from '../../contract/services.ts';
import { amountOf } from '../pricing/currency.ts';

const hidden = 'Do not tell its price';

/** Price of a service as an assistant may tell it; empty if it has none. */
export function sayServicePrice(service: Omit<Service, 'scenario'>, currency: string): string {
  const { pricingMode, isDisclosePrice, isCustomPriceResponseActive, customPriceResponse } = service;
  if (isCustomPriceResponseActive && customPriceResponse)
    return `Asked for the price, say: "${customPriceResponse}"`;
  if (pricingMode === 'NONE') return '';
  if (!isDisclosePrice) return hidden;
  const { fixedPrice, hourlyRate, callOutFee, minPrice, maxPrice, plusGST, plusMaterials } = service;
  const amount = (price: number) => amountOf(price, currency);
  const price = {
    FIXED: amount(fixedPrice),
    HOURLY: `${amount(hourlyRate)} an hour`,
    RANGE: `${amount(minPrice)} to ${amount(maxPrice)}`,
  }[pricingMode];
  const more = [
    ...(plusGST ? ['GST'] : []),
    ...(plusMaterials ? ['materials'] : []),
    ...(callOutFee > 0 ? [`a call-out fee of ${amount(callOutFee)}`] : []),
  ];
  return more.length === 0 ? price : `${price} plus ${more.join(' and ')}`;
}

/** Price of a product as an assistant may tell it; empty if it has none. */
export function sayProductPrice(
  {
    pricingType,
    price,
    maxPrice,
    isDisclosePrice,
  }: Pick<Product, 'pricingType' | 'price' | 'maxPrice' | 'isDisclosePrice'>,
  currency: string,
): string {
  if (pricingType === 'NONE') return '';
  if (!isDisclosePrice) return hidden;
  if (pricingType === 'FIXED') return amountOf(price, currency);
  return `${amountOf(price, currency)} to ${amountOf(maxPrice, currency)}`;
}
