import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { OtherForm, parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { collections as allCollections } from './collections.ts';
import { keyName, type Finding, type Report } from './finding.ts';
import { malformedFields } from './finding.ts';
import { missingHead, checkStart } from './missing-head.ts';
import { readState } from './hole-items.ts';
import { Verification } from './verification.ts';
import { runChecks, unsettled } from './snapshots.ts';
import { TableReads, type TableAccess } from './table-reads.ts';
import { OrganizationVerifier, type ScanResults } from './organization-verifier.ts';
import { deferRepairs } from './deferred-repairs.ts';

/**
 * Verifies that an organization is whole. Reads each of its partitions, most of them once, and writes
 * nothing.
 *
 * Others may write meanwhile, and verify reports none of their changes:
 *
 * - A fault of one item is a finding at once, such as a malformed item or a wrong id: DynamoDB shows no item
 *   that was never committed.
 * - A fault that takes several items is at first a suspect, since queries show items of several instants, and
 *   maybe a part of a transaction. `runChecks` then checks the suspect on a serializable read of all items
 *   that decide it. A check tests what holds after every write, so in such a read it fails for damage alone.
 * - A missing member of a list takes two such reads. Between them `ListsCheck` looks at every record that may be
 *   the member.
 *
 * Verify ends while others write. It asks only for what exists up to one version of the head, so the number
 * of suspects is limited by what was written during the queries. Each suspect is checked a limited number of
 * times. Checks that got no snapshot make one finding of the kind `unsettled`.
 */
export async function verifyOrganization(
  access: TableAccess,
  organization: OrganizationCode,
  { collections = allCollections, ...scanned }: Options = {},
): Promise<Report> {
  const reads = new TableReads(access);
  // By a serializable read, since an import may found the organization at this instant.
  const [found] = await runChecks(reads, [checkStart(organization)]);
  const { head, isImport } =
    found === undefined || found === unsettled
      ? { head: await reads.get(headKey(organization)), isImport: false }
      : found;
  const start = head && startHead(organization, head);
  if (!start || 'finding' in start)
    return withoutHead(reads, organization, { collections, finding: start?.finding, isImport });
  const verification = new Verification(organization, reads, { head: start.head, collections });
  return deferRepairs(await new OrganizationVerifier(verification, scanned).run());
}

export interface Options extends ScanResults {
  /**
   * One sort key of the hole items or former items of each list, by the list's partition, from a scan of the
   * table. Without a scan, verify reads the hole items that the list states announce, and the former items of
   * owners whose lists have members.
   */
  holeItems?: ScanResults['holeItems'];
  /**
   * Items of others in the organization's index partitions, from a scan of the table. Without a scan, verify
   * reads the lists that it knows and the search indexes.
   */
  foreignItems?: ScanResults['foreignItems'];
  /** Default: the collections of the project. */
  collections?: readonly Collection[];
}

function startHead(organization: OrganizationCode, item: Item): { head: Head } | { finding: Finding } {
  const where = keyName(headKey(organization));
  try {
    const head = parseHead(item);
    if (Object.values(head.lists).every(readState)) return { head };
    return { finding: { kind: 'head-malformed', where, sentence: `${where} cannot be read: lists.` } };
  } catch (error) {
    if (error instanceof OtherForm) {
      return { finding: { kind: 'head-form', where, sentence: `${where}: ${error.message}` } };
    }
    if (!v.isValiError(error)) throw error;
    const sentence = `${where} cannot be read: ${malformedFields(error.issues)}.`;
    return { finding: { kind: 'head-malformed', where, sentence } };
  }
}

interface WithoutHead {
  collections: readonly Collection[];
  /** Finding about a malformed head. */
  finding: Finding | undefined;
  isImport: boolean;
}

/**
 * Reports an organization without a readable head, of which nothing can be verified. `items` tells if there
 * is such an organization.
 */
async function withoutHead(
  reads: TableReads,
  organization: OrganizationCode,
  { collections, finding, isImport }: WithoutHead,
): Promise<Report> {
  const items = finding || isImport ? 1 : 0;
  const report = { organization, name: undefined, version: undefined, counts: {}, items };
  for (const { name } of collections) {
    for await (const page of reads.partition(recordKey(organization, name, 1).pk)) {
      report.items += page.length;
      break;
    }
    if (report.items > 0) break;
  }
  return { ...report, findings: [finding ?? missingHead(organization, isImport)] };
}
