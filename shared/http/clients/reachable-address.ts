import ipaddr from 'ipaddr.js';
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** All IPv6 addresses that are assigned for public use. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for an IP address that leads to the internet, and nowhere inside. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast));
}

/** True for an IP address of this computer alone. */
export const isLoopback = (address: string): boolean => ipaddr.parse(address).range() === 'loopback';

/** Error of a host that has no address, or an address that may not be reached. */
export class UnreachableHost extends Error {}

/** Finds the IP addresses of a host, as `dns.lookup` does. */
export type Lookup = (
  host: string,
  options: { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Function for the `lookup` of a socket. The socket connects to an address that this function gives, and looks up no
 * second time. If one address is not allowed, the host is refused: `UnreachableHost`. A socket does not look up an IP
 * address: see `mayBeAllowed`.
 */
export function allowedLookup(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const isFine = !error && addresses.length > 0 && addresses.every(({ address }) => isAllowed(address));
      if (!isFine) {
        callback(new UnreachableHost('No address that may be reached', { cause: error }), []);
      } else callback(null, addresses);
    });
  };
}

/** False if the host of a URL is an IP address that is not allowed. */
export function mayBeAllowed(hostname: string, isAllowed: (address: string) => boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isAllowed(host);
}
