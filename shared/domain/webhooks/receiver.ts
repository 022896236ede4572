/** Outcome of one attempt to post a body to a receiver. */
export interface Posted {
  /** Status of the answer; undefined if there was none. */
  status: number | undefined;
  /**
   * Reason why there is no answer. ADDRESS: the host has no address that may be reached. CONNECTION: the connection
   * failed. TIMEOUT: the time was over. TLS: the certificate or the handshake was wrong.
   */
  failure?: 'ADDRESS' | 'CONNECTION' | 'TIMEOUT' | 'TLS';
  milliseconds: number;
  /** First 1,000 characters of the answer, well-formed. */
  body: string;
  /** Milliseconds after which the receiver asks for the next attempt. */
  retryAfter?: number;
}

/** Posts a JSON body to a receiver, once. Never throws. */
export type PostWebhook = (url: string, headers: Record<string, string>, body: string) => Promise<Posted>;

/** Rules for the address of a receiver. */
export interface ReachableNetworks {
  /** True on a local machine: receivers may then be on this computer. */
  reachesLoopback: boolean;
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** Network that the host of a receiver's URL must be in. Undefined if a receiver may not have this URL. */
export function networkOf(
  url: URL,
  { reachesLoopback }: ReachableNetworks,
): 'public' | 'loopback' | undefined {
  const { protocol, hostname, port, username, password } = url;
  if (username !== '' || password !== '') return undefined;
  if (reachesLoopback && loopbackHosts.includes(hostname) && /^https?:$/.test(protocol)) return 'loopback';
  return protocol === 'https:' && port === '' ? 'public' : undefined;
}
