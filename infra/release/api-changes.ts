import { findContracts } from '../functions.ts';
import { compareDescriptions } from '../open-api/changes/compare.ts';
import { objectOf } from '../open-api/changes/json.ts';
import { openApiDocument } from '../open-api/open-api.ts';
import { readReleased } from './released.ts';
import { sortChanges, type SortedChanges } from './report.ts';

/** The last release, and what changed in the API since. */
export interface ApiChanges {
  since: string;
  changes: SortedChanges;
}

/** Compares the description that the contracts make with that of the last release. */
export async function findApiChanges(): Promise<ApiChanges> {
  const released = readReleased();
  // As it is on the wire: a value that is undefined is none.
  const today = objectOf(JSON.parse(JSON.stringify(openApiDocument(await findContracts()))));
  return {
    since: released.info.version,
    changes: sortChanges(compareDescriptions(released, today)),
  };
}
