import * as v from 'valibot';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf } from './collection.ts';
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
export const idOf = (
  { prefix }: Collection,
  organization: OrganizationCode,
  number: number,
): string | number => (prefix === undefined ? number : recordId(prefix, organization, number));

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
