import type { Grant } from '../../ledger/index.ts';
import type { ReadGrant } from './grant-of-token.ts';

/** Number of addresses and of granted tokens that are remembered. The oldest are forgotten first. */
const maxRemembered = 10_000;

/**
 * Limits the cost of reading made-up tokens, in one process.
 * - A refused token is not read again for its address within the same minute of the clock. So a client with a
 *   revoked token does not use up its address's limit.
 * - Once an address has had `maxPerMinute` tokens refused, none of its other tokens is read until the minute
 *   ends.
 * - A token that was granted before in this process is always read: its address may be shared, and its
 *   revocation must be noticed.
 */
export class RefusedTokens {
  readonly #maxPerMinute: number;
  readonly #granted = new Set<string>();
  readonly #refused = new Map<string, Set<string>>();
  #minute = 0;

  constructor(maxPerMinute: number) {
    this.#maxPerMinute = maxPerMinute;
  }

  /**
   * The grant that `find` returns. `find` gets a `readGrant` that treats tokens that must not be read as
   * unknown.
   * @param from the request's address, the client's address that the request names, and its time in epoch milliseconds
   */
  async grant(
    { address, client, now }: { address: string; client?: string | undefined; now: number },
    readGrant: ReadGrant,
    find: (readGrant: ReadGrant) => Promise<Grant | undefined>,
  ): Promise<Grant | undefined> {
    const network = client === undefined ? networkOf(address) : `${networkOf(client)} by ${address}`;
    let read: string | undefined;
    const grant = await find((hash) => {
      if (!this.#mayRead(hash, network, now)) return Promise.resolve(undefined);
      read = hash;
      return readGrant(hash);
    });
    if (read !== undefined) this.#remember(read, network, grant !== undefined);
    return grant;
  }

  #mayRead(hash: string, network: string, now: number): boolean {
    const minute = Math.floor(now / 60_000);
    if (minute !== this.#minute) this.#refused.clear();
    this.#minute = minute;
    const refused = this.#refused.get(network);
    return this.#granted.has(hash) || !refused || (!refused.has(hash) && refused.size < this.#maxPerMinute);
  }

  #remember(hash: string, network: string, isGranted: boolean): void {
    this.#granted.delete(hash);
    if (isGranted) this.#granted.add(hash);
    else this.#refused.set(network, (this.#refused.get(network) ?? new Set()).add(hash));
    forgetOldest(this.#granted);
    forgetOldest(this.#refused);
  }
}

function forgetOldest(all: Set<string> | Map<string, unknown>): void {
  for (const one of all.keys()) {
    if (all.size <= maxRemembered) return;
    all.delete(one);
  }
}

/**
 * The network of a client: an IPv4 address, or the first 64 bits of an IPv6 address. A client has all addresses in its
 * network.
 */
function networkOf(address: string): string {
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (ipv4 !== undefined || !address.includes(':')) return ipv4 ?? address;
  const [start = [], end = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  const groups = [...start, ...zeros, ...end].slice(0, 4);
  return groups.map((group) => parseInt(group, 16).toString(16)).join(':');
}
