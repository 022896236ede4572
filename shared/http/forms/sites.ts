import { sentences } from '../../contract/errors.ts';
import { Failure } from '../../core/failure.ts';
import { isAmong, siteOf } from '../../core/sites.ts';
import type { ServedEvent } from '../event.ts';

type Asked = Pick<ServedEvent, 'headers' | 'sites'>;

/** The request's `Origin`; undefined where it has none, as what is sent by a server, or a page that does not tell. */
function originOf({ headers: { origin } }: Asked): string | undefined {
  return origin === 'null' || origin?.trim() === '' ? undefined : origin;
}

/** The site that the request says it is from. */
export const siteAsked = (event: Asked): string | undefined => siteOf(originOf(event) ?? '');

/** The site that the request is from, where it is one of those that the caller's token is for. */
export function siteIn(event: Asked): string | undefined {
  const site = siteAsked(event);
  return site !== undefined && isAmong(event.sites ?? [], site) ? site : undefined;
}

/** @throws Failure `forbidden` for a request from a website that the caller's token is not for */
export function checkSite(event: Asked): void {
  if (originOf(event) !== undefined && siteIn(event) === undefined)
    throw new Failure('forbidden', sentences.otherSite);
}

/** Headers that let the scripts of a site read the answer, which says nothing but how that went. */
export const readableBy = (site: string | undefined): Record<string, string> =>
  site === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': site,
        'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
      };

/** The answer to a browser that asks whether scripts of a site may send a form. */
export const preflightAnswer = {
  statusCode: 204,
  headers: {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type, X-Requested-With',
    'Access-Control-Max-Age': '600',
  },
  body: '',
};

/** How long an address can be that a browser is sent to. */
const maxAddress = 2000;

/**
 * The address to send a browser on to; undefined where it is on no site of the token's.
 * @param site what a relative address is relative to
 */
export function allowedAddress(
  address: string,
  { site, sites }: { site: string | undefined; sites: readonly string[] },
): string | undefined {
  if (!URL.canParse(address, site)) return undefined;
  const { href, username, password } = new URL(address, site);
  const isPlain = username === '' && password === '' && href.length <= maxAddress;
  // Not its `origin`: that of `blob:https://a.example/x` is `https://a.example`, too.
  const on = siteOf(href);
  return isPlain && on !== undefined && isAmong(sites, on) ? href : undefined;
}
