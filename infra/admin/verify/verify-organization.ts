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
 * Proves an organization whole, or tells what is not. It reads each of its partitions, most of them once, and writes nothing.
 *
 * Others may write to the organization meanwhile, and no change of theirs is taken for damage:
 *
 * - What one item shows by itself is stored: DynamoDB shows no item that was never committed. So an item that cannot be
 *   read, or has another's id, is damage at once.
 * - What takes more than one item is only suspected from the queries, since they show items of several moments, and of a
 *   transaction perhaps some. Each suspicion is then judged on a serializable read of all the items that decide it
 *   (`settle`). What it checks holds after every write, so in such a read nothing but damage breaks it.
 * - Whether a list lacks a member is decided by two such reads, between which all records are looked at that may be the
 *   member (`Lists`).
 *
 * It ends while others write: only what is there up to one version of the head is asked for, so suspicions are limited by
 * what was written during the queries; each is judged a bounded number of times. What could not be judged within that is a
 * finding of the kind `unsettled`.
 */
export async function verifyOrganization(
  access: TableAccess,
  organization: OrganizationCode,
  { collections = allCollections, ...scanned }: Options = {},
): Promise<Report> {
  const reads = new TableReads(access);
  // By a serializable read, since an organization may be founded at this moment.
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
   * One sort key of the notes of each list that has any, by the list's partition, as a scan of the table shows them, and of what
   * is kept of removed records. Without them, notes are looked for where they may be by the lists' states, and what is kept of a
   * removed record where lists of it have members.
   */
  holeItems?: ScanResults['holeItems'];
  /**
   * The items of others in its partitions of indexes, as a scan of the table shows them. Without them, the lists that it is known
   * to have are read for them, and its texts.
   */
  foreignItems?: ScanResults['foreignItems'];
  /** Those of the project, unless a test has others. */
  collections?: readonly Collection[];
}

/** The head, or what is wrong with it. */
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
  /** What is wrong with the head that there is. */
  finding: Finding | undefined;
  isImport: boolean;
}

/** Without a head nothing can be proved; whether anything else is there tells if there ever was such an organization. */
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
