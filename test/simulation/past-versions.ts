import { nameOf } from './index-keys.ts';
import type { Version } from './ordered-items.ts';
import type { TableKey } from './table-items.ts';

interface PastVersion {
  version: Version | undefined;
  /** When it was replaced. */
  until: number;
}

/** What items were until some moments ago: an eventually consistent read may be served by a copy that is behind. */
export class PastVersions {
  readonly #past = new Map<string, PastVersion[]>();

  /** Notes what was at a key until now; forgets what was replaced before `oldest`. */
  note(key: TableKey, version: Version | undefined, { now, oldest }: { now: number; oldest: number }): void {
    const name = nameOf(key);
    const kept = (this.#past.get(name) ?? []).filter(({ until }) => until > oldest);
    kept.push({ version, until: now });
    this.#past.set(name, kept);
  }

  /** What was at a key at a moment; `current` where nothing has replaced that. */
  at(key: TableKey, moment: number, current: Version | undefined): Version | undefined {
    const found = this.#past.get(nameOf(key))?.find(({ until }) => until > moment);
    return found ? found.version : current;
  }
}
