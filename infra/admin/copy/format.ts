import { isSupportedCountry } from 'libphonenumber-js/min';
import * as v from 'valibot';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { ListStates } from '../../../shared/ledger/internal/head.ts';

/**
 * The files of an organization's copy: `organization.jsonl`, with what the head says, and a file for each
 * collection that has records, a record per line, by number. `docs/organization-copy.md` shows them.
 */
export const copyForm = 1;

export const headFile = 'organization.jsonl';

/** The file of a collection's records: `leads.jsonl` for `LEAD`, `policies.jsonl` for `POLICY`. */
export const fileOf = (collection: string): string =>
  `${collection.toLowerCase().replace(/y$/, 'ie')}s.jsonl`;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** An object as it was read, so that whatever it has is seen by the schema of its collection. */
const Attributes = v.custom<Item>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Which form a copy has: read before the rest, since that depends on it. */
export const Form = v.looseObject({ form: v.number(), stored: v.number() });

const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** What a file is known by. */
export const FileSum = v.strictObject({ lines: Count, sha256: Sha256 });
export type FileSum = v.InferOutput<typeof FileSum>;

/** The second and last line of `organization.jsonl`: what the first is known by, its line feed included. */
export const SealLine = v.strictObject({ sha256: Sha256 });
export type SealLine = v.InferOutput<typeof SealLine>;

/** The first line of `organization.jsonl`. */
export const HeadLine = v.strictObject({
  /** Of these files. */
  form: v.literal(copyForm),
  /** In which form the table has the organization: see docs/data-model.md, "Head". */
  stored: Count,
  code: OrganizationCode,
  /** The copy is the organization as it was after this event. */
  version: v.pipe(Count, v.minValue(1)),
  exportedAt: v.string(),
  country: v.pipe(v.string(), v.check(isSupportedCountry)),
  hashKey: v.exactOptional(
    v.pipe(
      v.string(),
      v.base64(),
      v.check((key) => Buffer.from(key, 'base64').length === 32),
    ),
  ),
  lists: ListStates,
  revisions: v.exactOptional(v.record(v.string(), Count)),
  /** Names of the head that only a newer version of the code knows: exported, and imported by that version. */
  more: v.exactOptional(v.strictObject({})),
  /** All other files, by their names. */
  files: v.record(v.string(), FileSum),
});
export type HeadLine = v.InferOutput<typeof HeadLine>;

/** A partition of an index without the organization it begins with, and the sort key. */
const Place = v.tuple([v.string(), v.union([v.pipe(v.number(), v.integer(), v.minValue(1)), v.string()])]);

/** The line of a record. */
export const RecordLine = v.strictObject({
  number: v.pipe(Count, v.minValue(1)),
  /** The number of the event that stored it last. */
  revision: v.pipe(Count, v.minValue(1)),
  record: Attributes,
  /** As what it holds its unique values, where they are not ASCII. */
  claimed: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** The states of the lists that it owns. */
  lists: v.exactOptional(ListStates),
  /** Its places in lists, and in indexes that only a newer version of the code knows. */
  places: v.exactOptional(v.record(v.string(), Place)),
  /** Further attributes of the item. Others than these only a newer version of the code knows, which imports them. */
  more: v.exactOptional(
    v.strictObject({
      /** Which records the write of an event touched. */
      touched: v.exactOptional(v.string()),
    }),
  ),
});
export type RecordLine = v.InferOutput<typeof RecordLine>;
export type Places = NonNullable<RecordLine['places']>;
export type Place = v.InferOutput<typeof Place>;
