/** How many sites a token can have. */
export const maxSites = 20;

/** A name in ASCII, as `URL` writes every name, or an address. URLs may have other hosts, such as `*.a.example`. */
const host = /^(?:[\w.-]{1,253}|\[[\da-f:]+\])$/;

/**
 * True if a site is one of these. A key of the local machine has `http://localhost:*` among its sites, which is any port; no operator can
 * write that.
 */
export function isAmong(sites: readonly string[], site: string): boolean {
  const { protocol, hostname } = new URL(site);
  return sites.includes(site) || sites.includes(`${protocol}//${hostname}:*`);
}

/**
 * The site that an address is on, as browsers send it in `Origin`: `https://a.example` of `https://A.example:443/contact`.
 * Undefined for what is no http or https address of one host.
 */
export function siteOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && host.test(hostname) ? origin : undefined;
}
