import type { Head } from './head.ts';
import type { OrganizationCode } from './ids.ts';

/**
 * The heads that a warm function has seen last, so that a write can start without reading one. A remembered head may
 * be old: only the condition on its version tells, which is why reads for a client never use it.
 */
export class Heads {
  readonly #heads = new Map<OrganizationCode, Head>();
  readonly #most: number;

  constructor(most = 1000) {
    this.#most = most;
  }

  recall(organization: OrganizationCode): Head | undefined {
    return this.#heads.get(organization);
  }

  /** Forgets a head that is likely to be old. */
  forget(organization: OrganizationCode): void {
    this.#heads.delete(organization);
  }

  /** Keeps the newest head seen, of the organizations used last. */
  remember(organization: OrganizationCode, head: Head): void {
    const known = this.#heads.get(organization);
    this.#heads.delete(organization);
    this.#heads.set(organization, known && known.version > head.version ? known : head);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > this.#most && oldest !== undefined) this.#heads.delete(oldest);
  }
}
