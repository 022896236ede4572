import { same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { Refused, type ErrorResponse } from './refusal.ts';

/** A record as some client has it, with its tag. */
export interface Tagged {
  tag: string;
  record: Fields;
}

/** How many states of a record clients remember. */
const remembered = 3;

const another = 'The record is not, or no longer, the one that If-Match names; read it again';

/**
 * The tags of an episode. What they are made of is the service's own affair: one tag stands for one record of one
 * organization, and a record has one tag.
 */
export class Tags {
  readonly #recordOf = new Map<string, string>();
  readonly #tagOf = new Map<string, string>();
  readonly #known = new Map<string, Tagged[]>();

  /** Whether a tag can be a record's, by what is known of both. */
  canBe(organization: string, { tag, record }: Tagged): boolean {
    const text = `${organization} ${sorted(record)}`;
    return (this.#recordOf.get(tag) ?? text) === text && (this.#tagOf.get(text) ?? tag) === tag;
  }

  /** Notes the tag that an answer gave a record. @throws Violation where it cannot be the record's */
  note(organization: string, kind: string, one: Tagged): void {
    const { tag, record } = one;
    if (!this.canBe(organization, one)) {
      throw new Violation('A tag must stand for one record, and a record have one tag', {
        expected: {
          tag: this.#tagOf.get(`${organization} ${sorted(record)}`),
          record: this.#recordOf.get(tag),
        },
        observed: one,
      });
    }
    const text = `${organization} ${sorted(record)}`;
    this.#recordOf.set(tag, text);
    this.#tagOf.set(text, tag);
    const name = `${organization} ${kind} ${String(record['id'])}`;
    const known = this.#known.get(name) ?? [];
    if (known.at(-1)?.tag !== tag) this.#known.set(name, [...known, one].slice(-remembered));
  }

  /** What clients have of a record, oldest first. */
  of(organization: string, kind: string, id: unknown): readonly Tagged[] {
    return this.#known.get(`${organization} ${kind} ${String(id)}`) ?? [];
  }
}

/** An object as JSON, with the names of its fields in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** What stands in an `If-Match` or `If-None-Match`: tags that a client has, or `*`. */
export class TagList {
  readonly #known: readonly Tagged[] | '*';

  constructor(known: readonly Tagged[] | '*') {
    this.#known = known;
  }

  has(tag: string): boolean {
    return this.#known === '*' || this.#known.some((one) => one.tag === tag);
  }

  /** The record that a client has by a tag. */
  recordOf(tag: string): Fields | undefined {
    return this.#known === '*' ? undefined : this.#known.find((one) => one.tag === tag)?.record;
  }

  /** Whether the record, as the API shows it, is one of those. */
  fits(record: Fields): boolean {
    return this.#known === '*' || this.#known.some((one) => same(one.record, record));
  }

  /** The refusals of a change of these records, where they are none of those; the answer then has the record's own tag. */
  refusalsOf(records: readonly Fields[]): ErrorResponse[] {
    return records
      .filter((record) => !this.fits(record))
      .map((tagged) => ({ status: 412, message: another, tagged }));
  }

  /** @throws Refused where the record is none of those */
  check(record: Fields): void {
    const [refusal] = this.refusalsOf([record]);
    if (refusal) throw new Refused(refusal);
  }
}

/** Every record fits where a request has no such header. */
export const anyTag = new TagList('*');
