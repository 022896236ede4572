import * as v from 'valibot';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf } from './collection.ts';
import { OtherForm } from './head.ts';

/** The number of the last event that changed a record, as it was read. @throws OtherForm where there is none */
export function revisionOf({ revision }: Item): number {
  if (typeof revision !== 'number') throw new OtherForm(undefined);
  return revision;
}

/** A record, from its item. @throws OtherForm for data of another version of the code */
export function parseRecord<C extends Collection>({ schema }: C, item: Item): RecordOf<C> {
  revisionOf(item);
  return v.parse(schema, item);
}
