import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, importKey } from '../../../shared/ledger/internal/keys.ts';
import { keyName, type Finding } from './finding.ts';
import type { Check } from './snapshots.ts';

/**
 * Head of an organization, and whether an import is unfinished. The last write of an import stores the head
 * and removes the item that announces the import.
 */
export const checkStart =
  (organization: OrganizationCode): Check<{ head: Item | undefined; isImport: boolean }> =>
  (snapshot) => ({
    head: snapshot.get(headKey(organization)),
    isImport: snapshot.get(importKey(organization)) !== undefined,
  });

/** Finding about an organization that has items and no head. */
export function missingHead(organization: OrganizationCode, isImport: boolean): Finding {
  const where = keyName(headKey(organization));
  if (isImport)
    return {
      kind: 'import-unfinished',
      where: keyName(importKey(organization)),
      sentence:
        `An import of ${organization} is not finished: go on with "organization import FOLDER --code ${organization}", ` +
        `or remove it with "organization discard-import --code ${organization}".`,
    };
  return {
    kind: 'head-missing',
    where,
    sentence: `${where} is missing: without it the organization can be neither read nor written.`,
  };
}
