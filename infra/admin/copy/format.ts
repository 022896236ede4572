import { isSupportedCountry } from 'libphonenumber-js/min';
import * as v from 'valibot';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { ListStates } from '../../../shared/ledger/internal/head.ts';

/**
 * Version of the files of an organization's copy. The head's data is in `organization.jsonl`. Each collection
 * with records has a file, with one record per line in the order of their numbers. See
 * `docs/organization-copy.md`.
 */
export const copyForm = 1;

export const headFile = 'organization.jsonl';

/** File name of a collection: `leads.jsonl` for `LEAD`, `policies.jsonl` for `POLICY`. */
export const fileOf = (collection: string): string =>
  `${collection.toLowerCase().replace(/y$/, 'ie')}s.jsonl`;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** An object as read. The schema of its collection checks it later. */
const Attributes = v.custom<Item>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Form of a copy, parsed before the rest, which depends on it. */
export const Form = v.looseObject({ form: v.number(), stored: v.number() });

const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Line count and checksum of a file. */
export const FileSum = v.strictObject({ lines: Count, sha256: Sha256 });
export type FileSum = v.InferOutput<typeof FileSum>;

/** The second and last line of `organization.jsonl`: the checksum of the first line with its line feed. */
export const SealLine = v.strictObject({ sha256: Sha256 });
export type SealLine = v.InferOutput<typeof SealLine>;

/** The first line of `organization.jsonl`. */
export const HeadLine = v.strictObject({
  /** Form of the copy's files. */
  form: v.literal(copyForm),
  /** Form of the data in the table: see docs/data-model.md, "Head". */
  stored: Count,
  code: OrganizationCode,
  /** Number of the last event in the copy. */
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
  configuration: v.exactOptional(Count),
  /**
   * Attributes of the head that only a newer version of the code knows. This version exports them; only the
   * newer version imports them.
   */
  more: v.exactOptional(v.strictObject({})),
  /** Line count and checksum of every other file, by name. */
  files: v.record(v.string(), FileSum),
});
export type HeadLine = v.InferOutput<typeof HeadLine>;

/** Partition key of an index without the organization's prefix, and sort key. */
const IndexKey = v.tuple([v.string(), v.union([v.pipe(v.number(), v.integer(), v.minValue(1)), v.string()])]);

export const RecordLine = v.strictObject({
  number: v.pipe(Count, v.minValue(1)),
  /** Number of the last event that changed the record. */
  revision: v.pipe(Count, v.minValue(1)),
  record: Attributes,
  /** Unique values in their claimed form, if they are not ASCII. */
  claimed: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** States of lists that the record owns. */
  lists: v.exactOptional(ListStates),
  /** Keys of the record in list indexes, and in indexes that only a newer version of the code knows. */
  places: v.exactOptional(v.record(v.string(), IndexKey)),
  /** Further attributes of the item. Only a newer version of the code knows others than these. */
  more: v.exactOptional(
    v.strictObject({
      /** Records that the event's write changed. */
      touched: v.exactOptional(v.string()),
      /** Records that show one of them. */
      shown: v.exactOptional(v.string()),
    }),
  ),
});
export type RecordLine = v.InferOutput<typeof RecordLine>;
export type IndexKeys = NonNullable<RecordLine['places']>;
export type IndexKey = v.InferOutput<typeof IndexKey>;
