import { sentences } from '../../contract/errors.ts';
import { Failure } from '../../core/failure.ts';
import { isAmong, siteOf } from '../../core/sites.ts';
import type { ServedEvent } from '../event.ts';

type Asked = Pick<ServedEvent, 'headers' | 'identified'>;

/**
 * Returns the request's `Origin`. Undefined if a server sent the request, or a page that hides its origin.
 */
function originOf({ headers: { origin } }: Asked): string | undefined {
  return origin === 'null' || origin?.trim() === '' ? undefined : origin;
}

/** Site in the request's `Origin`. */
export const siteAsked = (event: Asked): string | undefined => siteOf(originOf(event) ?? '');

/** Site in the request's `Origin`, if the principal's token is for that site. */
export function siteIn(event: Asked): string | undefined {
  const site = siteAsked(event);
  return site !== undefined && isAmong(event.identified?.sites ?? [], site) ? site : undefined;
}

/** @throws Failure `forbidden` for a request from a website that the principal's token is not for */
export function checkSite(event: Asked): void {
  if (originOf(event) !== undefined && siteIn(event) === undefined)
    throw new Failure('forbidden', sentences.otherSite);
}

/** Response to a browser's preflight request (CORS). */
export const preflightResponse = {
  statusCode: 204,
  headers: {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type, X-Requested-With, Idempotency-Key',
    'Access-Control-Max-Age': '600',
  },
  body: '',
};

/** Maximum length of an address that a browser is redirected to. */
const maxAddress = 2000;

/**
 * Returns the address to redirect a browser to; undefined if it is on none of the token's sites. @param site
 * base of a relative address
 */
export function allowedAddress(
  address: string,
  { site, sites }: { site: string | undefined; sites: readonly string[] },
): string | undefined {
  if (!URL.canParse(address, site)) return undefined;
  const { href, username, password } = new URL(address, site);
  const isPlain = username === '' && password === '' && href.length <= maxAddress;
  // `origin` is not enough: the origin of `blob:https://a.example/x` is `https://a.example`, too.
  const on = siteOf(href);
  return isPlain && on !== undefined && isAmong(sites, on) ? href : undefined;
}
