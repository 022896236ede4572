import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { events, type ListKind } from '../../../shared/ledger/internal/collection.ts';
import type { Head } from '../../../shared/ledger/internal/head.ts';
import { listIndexes, type ListKey } from '../../../shared/ledger/internal/keys.ts';
import type { Verification } from './verification.ts';

/** A reader of collections by their names. */
type Collections = Pick<Verification, 'collectionNamed'>;

/** Whether there can be such lists: which of them there are, only the records tell. */
export function isDeclared(verification: Collections, key: ListKey): boolean {
  const { collection, index, owner, name } = key;
  const owners = owner && verification.collectionNamed(owner.collection);
  if (index === undefined || (owner && !owners)) return false;
  if (collection !== events.name) return kindOf(verification, key) !== undefined;
  return owners?.eventListIndex === listIndexes.indexOf(index) && name === undefined;
}

/** What a list's kind is, as its collection declares it. */
const kindOf = (verification: Collections, { collection, index }: ListKey): ListKind | undefined =>
  index && Object.values(verification.collectionNamed(collection)?.lists ?? {})[listIndexes.indexOf(index)];

/** Whether a list's state is an item of its own. */
export const hasOwnState = (verification: Collections, key: ListKey): boolean =>
  kindOf(verification, key)?.hasManyNames ?? false;

/** Whether this is the pipeline, which is made anew where it is missing. */
export const isPipeline = (owner: ListKey['owner']): boolean =>
  owner?.collection === pipelines.name && owner.number === pipelineNumber;

/**
 * Whether what is noted of a list is read though its state says that nobody has left: where a part of a write is stored only,
 * the next one to leave would spread a stray note. There are few such lists: those of the organization and of the pipeline.
 */
export const areNotesRead = (verification: Verification, key: ListKey): boolean =>
  !key.owner || isPipeline(key.owner) || hasOwnState(verification, key);

/** Whether a list is of a collection, or of its records, that only a newer version of the code knows: the head has it. */
export const isOfNewer = (
  verification: Verification,
  { lists }: Head,
  { collection, owner }: ListKey,
): boolean =>
  [collection, ...(owner ? [owner.collection] : [])].some(
    (name) => !verification.collectionNamed(name) && lists[name] !== undefined,
  );
