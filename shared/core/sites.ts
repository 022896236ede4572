/** Maximum number of sites of a token. */
export const maxSites = 20;

/**
 * A host as `URL` writes it: a name in ASCII or an IP address. `URL` also accepts hosts such as
 * `*.a.example`.
 */
const host = /^(?:[\w.-]{1,253}|\[[\da-f:]+\])$/;

/**
 * True if `sites` includes a site. A key of the local machine has the site `http://localhost:*`, which stands for any
 * port. An operator cannot give a key such a site.
 */
export function isAmong(sites: readonly string[], site: string): boolean {
  const { protocol, hostname } = new URL(site);
  return sites.includes(site) || sites.includes(`${protocol}//${hostname}:*`);
}

/**
 * The site of a URL, as browsers send it in `Origin`: `https://a.example` for
 * `https://A.example:443/contact`. Undefined if it is no http or https URL of one host.
 */
export function siteOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && host.test(hostname) ? origin : undefined;
}
