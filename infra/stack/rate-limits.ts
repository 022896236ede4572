import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import type { StageSettings } from './settings-schema.ts';

export type RateSettings = Pick<
  StageSettings,
  'requestsPerTokenPerMinute' | 'requestsPerKeyPerMinute' | 'requestsPerKeyAndAddressPerMinute'
>;

/** Endpoints as the rates tell them apart. */
type Limited = Pick<Endpoint, 'scope' | 'takesForms'>;

/**
 * Seconds that a rate looks back: the shortest window that AWS WAF has. After that time without a request, the
 * count is zero. So it is also the `Retry-After`.
 */
export const windowSeconds = 60;

/**
 * Number of tokens that one address can use at their full rate. An integrator sends the requests of many
 * customers from one address, and an office shares one.
 */
const tokensPerAddress = 10;

/**
 * The same for calls that the function for agents marks. The calls of all agents come from the few addresses that AWS
 * gives to functions. Anyone can send the mark, so the mark only leads to a larger limit.
 */
const agentTokensPerAddress = 10 * tokensPerAddress;

/** Rate of requests. The name says which part of a request the requests of one count share. */
export interface RateLimit {
  name: 'token' | 'key' | 'key-and-address' | 'address' | 'agents';
  /** Most requests in `windowSeconds`. */
  limit: number;
}

/** Rates of the stack's own web ACL. */
export const rateLimits = (settings: RateSettings) =>
  ({
    token: { name: 'token', limit: settings.requestsPerTokenPerMinute },
    key: { name: 'key', limit: settings.requestsPerKeyPerMinute },
    keyAndAddress: { name: 'key-and-address', limit: settings.requestsPerKeyAndAddressPerMinute },
    address: { name: 'address', limit: tokensPerAddress * settings.requestsPerTokenPerMinute },
    agents: { name: 'agents', limit: agentTokensPerAddress * settings.requestsPerTokenPerMinute },
  }) as const satisfies Record<string, RateLimit>;

/** True if a key of the endpoint is on pages, so that each visitor has a rate. */
export const isOfVisitors = (endpoint: Limited): boolean => isKeyed(endpoint) && endpoint.takesForms === true;

/** Rates that count the usual requests of an endpoint, the narrowest first. */
export function limitsOf(endpoint: Limited, settings: RateSettings): RateLimit[] {
  const { token, key, keyAndAddress, address } = rateLimits(settings);
  if (isKeyed(endpoint)) return [...(isOfVisitors(endpoint) ? [keyAndAddress] : []), key, address];
  return endpoint.scope === 'public' ? [address] : [token, address];
}

/**
 * Value of the header `RateLimit-Policy` for these rates. An answer can only tell that the rates exist: AWS WAF
 * tells nobody how much of a rate is left.
 * https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html#name-ratelimit-policy-field
 */
export const policyHeader = (limits: readonly RateLimit[]): string =>
  limits.map(({ name, limit }) => `"${name}";q=${limit};w=${windowSeconds}`).join(', ');
