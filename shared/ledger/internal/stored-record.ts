import * as v from 'valibot';
import type { Item } from './attributes.ts';
import type { Collection, IdOf, RecordOf } from './collection.ts';
import { numberOf, recordId, type OrganizationCode } from '../../core/ids.ts';
import { OtherFormat } from './head.ts';

/**
 * Revision of a record: the number of the last event of the write that last changed the record.
 * @throws OtherFormat if the record has no revision
 */
export function revisionOf({ revision }: Item): number {
  if (typeof revision !== 'number') throw new OtherFormat(undefined);
  return revision;
}

/** Parses a record's item. @throws OtherFormat if it has no revision */
export function parseRecord<C extends Collection>({ schema }: C, item: Item): RecordOf<C> {
  revisionOf(item);
  return v.parse(schema, item);
}

/** Public id of a record: its number, or a prefixed id. */
export function idOf<C extends Collection>(
  collection: C,
  organization: OrganizationCode,
  number: number,
): IdOf<C> {
  const { prefix } = collection;
  return idFor(collection, prefix === undefined ? number : recordId(prefix, organization, number));
}

/**
 * Gives a public id the type of its collection's ids. The compiler cannot know the type of an id by the collection's
 * prefix.
 */
export function idFor<C extends Collection>(_: C, id: string | number): IdOf<C> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- schemas have `id` as `idOf` makes it
  return id as IdOf<C>;
}

/** The record number in a public id; undefined if no record of the collection can have that id. */
export function numberOfId(
  { prefix }: Pick<Collection, 'prefix'>,
  organization: OrganizationCode,
  id: string | number,
): number | undefined {
  if (prefix !== undefined) return numberOf(prefix, organization, String(id));
  return /^[1-9]\d{0,11}$/.test(String(id)) ? Number(id) : undefined;
}

/** A record's number, from its sort key. No schema, for speed. */
export const numberAt = (item: Item | undefined): number => Number(item?.['sk']);
