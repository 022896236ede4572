import { nameOf } from './index-keys.ts';
import type { Version } from './ordered-items.ts';
import type { TableKey } from './table-items.ts';

interface PastVersion {
  version: Version | undefined;
  /** Time of replacement. */
  until: number;
}

/** Recent past versions of items. An eventually consistent read may come from a stale replica. */
export class PastVersions {
  readonly #past = new Map<string, PastVersion[]>();

  /** Records the version that a key had until now. Forgets versions replaced before `oldest`. */
  note(key: TableKey, version: Version | undefined, { now, oldest }: { now: number; oldest: number }): void {
    const name = nameOf(key);
    const kept = (this.#past.get(name) ?? []).filter(({ until }) => until > oldest);
    kept.push({ version, until: now });
    this.#past.set(name, kept);
  }

  /** Version of a key at a past time; `current` if it was not replaced since. */
  at(key: TableKey, time: number, current: Version | undefined): Version | undefined {
    const found = this.#past.get(nameOf(key))?.find(({ until }) => until > time);
    return found ? found.version : current;
  }
}
