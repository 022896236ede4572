import type { Fields } from '../same.ts';
import { Violation } from '../violation.ts';

/** A record with its tag, as a client has it. */
export interface Tagged {
  tag: string;
  record: Fields;
}

/** Number of states of a record that clients remember. */
const remembered = 3;

/**
 * Tags of an episode. Their contents are up to the service: a tag stands for one record of one organization,
 * and a state of a record has one tag.
 */
export class Tags {
  readonly #recordOf = new Map<string, string>();
  readonly #tagOf = new Map<string, string>();
  readonly #known = new Map<string, Tagged[]>();

  /** True if a tag can belong to a record, by all known tags and records. */
  canBe(organization: string, { tag, record }: Tagged): boolean {
    const text = `${organization} ${sorted(record)}`;
    return (this.#recordOf.get(tag) ?? text) === text && (this.#tagOf.get(text) ?? tag) === tag;
  }

  /** Records the tag of a response. @throws Violation if it cannot belong to the record */
  note(organization: string, kind: string, one: Tagged): void {
    const { tag, record } = one;
    if (!this.canBe(organization, one)) {
      throw new Violation(
        'A tag must stand for one record, and a record must have one tag',
        {
          tag: this.#tagOf.get(`${organization} ${sorted(record)}`),
          record: this.#recordOf.get(tag),
        },
        one,
      );
    }
    const text = `${organization} ${sorted(record)}`;
    this.#recordOf.set(tag, text);
    this.#tagOf.set(text, tag);
    const name = `${organization} ${kind} ${String(record['id'])}`;
    const known = this.#known.get(name) ?? [];
    if (known.at(-1)?.tag !== tag) this.#known.set(name, [...known, one].slice(-remembered));
  }

  /** States of a record that clients have, oldest first. */
  of(organization: string, kind: string, id: unknown): readonly Tagged[] {
    return this.#known.get(`${organization} ${kind} ${String(id)}`) ?? [];
  }
}

/** JSON of an object with its field names sorted. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** Value of an `If-Match` or `If-None-Match`: tags that a client has, or `*`. */
export class TagList {
  readonly #known: readonly Tagged[] | '*';

  constructor(known: readonly Tagged[] | '*') {
    this.#known = known;
  }

  has(tag: string): boolean {
    return this.#known === '*' || this.#known.some((one) => one.tag === tag);
  }

  /** Record that the client has under a tag. */
  recordOf(tag: string): Fields | undefined {
    return this.#known === '*' ? undefined : this.#known.find((one) => one.tag === tag)?.record;
  }

  /** True if one of the tags is of a record that fits. */
  fitsSome(fits: (record: Fields) => boolean): boolean {
    return this.#known === '*' || this.#known.some(({ record }) => fits(record));
  }
}

/** Tag list of a request without the header: every record fits. */
export const anyTag = new TagList('*');
