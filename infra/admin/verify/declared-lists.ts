import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { events, type ListKind } from '../../../shared/ledger/internal/collection.ts';
import type { Head } from '../../../shared/ledger/internal/head.ts';
import { listIndexes, type ListKey } from '../../../shared/ledger/internal/keys.ts';
import type { Verification } from './verification.ts';

type Collections = Pick<Verification, 'collectionNamed'>;

/** True if this version of the code can have such a list. The records tell if the list exists. */
export function isDeclared(verification: Collections, key: ListKey): boolean {
  const { collection, index, owner, name } = key;
  const owners = owner && verification.collectionNamed(owner.collection);
  if (index === undefined || (owner && !owners)) return false;
  if (collection !== events.name) return kindOf(verification, key) !== undefined;
  return owners?.eventListIndex === listIndexes.indexOf(index) && name === undefined;
}

/** Declaration of the list's kind in its collection. */
const kindOf = (verification: Collections, { collection, index }: ListKey): ListKind | undefined =>
  index && Object.values(verification.collectionNamed(collection)?.lists ?? {})[listIndexes.indexOf(index)];

/** True if the list's state is an item of its own. */
export const hasOwnState = (verification: Collections, key: ListKey): boolean =>
  kindOf(verification, key)?.hasManyNames ?? false;

/** True for the pipeline. Repair makes a missing pipeline anew. */
export const isPipeline = (owner: ListKey['owner']): boolean =>
  owner?.collection === pipelines.name && owner.number === pipelineNumber;

/**
 * True if the hole items are read even if the list state has no holes. If only a part of a write was stored,
 * the next member to leave would copy a stray hole item. Such lists are few: those of the organization and of
 * the pipeline.
 */
export const mustReadHoleItems = (verification: Verification, key: ListKey): boolean =>
  !key.owner || isPipeline(key.owner) || hasOwnState(verification, key);

/**
 * True if the list belongs to a collection, or to records of one, that the head has and this version of the
 * code does not know.
 */
export const isOfNewer = (
  verification: Verification,
  { lists }: Head,
  { collection, owner }: ListKey,
): boolean =>
  [collection, ...(owner ? [owner.collection] : [])].some(
    (name) => !verification.collectionNamed(name) && lists[name] !== undefined,
  );
