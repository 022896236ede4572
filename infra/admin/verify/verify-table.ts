import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  grantKey,
  keyNamesOf,
  listIndexes,
  holesPartition,
  recordsPartition,
  parseFormerKey,
  recordKey,
  searchIndexes,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { collections } from './collections.ts';
import { withRecheck, unknownItem, type Finding, type Report } from './finding.ts';
import type { IndexedItem } from './foreign-items.ts';
import { removeGrant } from './grants.ts';
import { missingHead, checkStart } from './missing-head.ts';
import { inParallel } from './parallel.ts';
import { checkClaim } from './phone-numbers-check.ts';
import { runChecks, unsettled, type Check } from './snapshots.ts';
import { TableReads, type TableAccess } from './table-reads.ts';
import { verifyOrganization, type Options } from './verify-organization.ts';
import { mayRepair, deferRepair } from './deferred-repairs.ts';

/** Result of verifying a table. */
export interface TableReport {
  organizations: Report[];
  /** Findings that belong to no organization. */
  strays: Finding[];
}

interface ScannedOrganization {
  hasHead: boolean;
  /** One sort key of each partition that may be a collection, by the partition without its prefix. */
  partitions: Map<string, string>;
  /** One sort key of the hole items of each list, by the list's partition. */
  holeItems: Map<string, string>;
}

const partitionOf = /^ORG#([^#]*)(?:#(.*))?$/s;
const notCollections: readonly string[] = ['UNIQUE', 'TURN', 'DAY'];
/** Suffix of the partitions of hole items. */
const holesEnd = holesPartition('');

/** Number of organizations that are verified at a time. */
const atOnce = 2;

/**
 * Verifies each organization of a table, as `verifyOrganization` does, and that no item belongs to none of
 * them. Scans the keys of the table once, and writes nothing.
 */
export async function verifyTable(
  access: TableAccess,
  options: Pick<Options, 'collections'> = {},
): Promise<TableReport> {
  const reads = new TableReads(access);
  const strays: Finding[] = [];
  const scanned = new Map<OrganizationCode, ScannedOrganization>();
  const grants: string[] = [];
  const numbers: string[] = [];
  const foreignItems = new Map<string, IndexedItem[]>();
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = { pk: String(item['pk']), sk: String(item['sk']) };
      observeForeign(foreignItems, key, item);
      const [, code, rest] = partitionOf.exec(key.pk) ?? [];
      const organization = v.safeParse(OrganizationCode, code);
      if (organization.success) observeKey(scanned, organization.output, rest, key);
      else if (key.pk.startsWith('TOKEN#') && key.sk === 'TOKEN') grants.push(key.pk.slice('TOKEN#'.length));
      else if (key.pk.startsWith('NUMBER#') && key.sk === 'NUMBER')
        numbers.push(key.pk.slice('NUMBER#'.length));
      else strays.push(unknownItem(key));
    }
  }

  await confirmInto(reads, strays, [...grants.map(checkGrant), ...numbers.map(checkClaim)]);
  const founded = await foundedIn(reads, scanned, strays);
  const reports = await inParallel(atOnce, founded, (code) =>
    verifyOrganization(access, code, {
      ...options,
      holeItems: scanned.get(code)?.holeItems,
      foreignItems: foreignItems.get(code) ?? [],
    }),
  );
  const known = new Set((options.collections ?? collections).map(({ name }) => name));
  for (const report of reports)
    strays.push(...strayPartitions(report, known, scanned.get(report.organization)?.partitions));
  const writable = new Set(reports.filter(mayRepair).map(({ organization }) => organization));
  return {
    organizations: reports,
    strays: strays.map((finding) => {
      const { organization } = finding.repair ?? {};
      return organization === undefined || writable.has(organization) ? finding : deferRepair(finding);
    }),
  };
}

function observeKey(
  scanned: Map<OrganizationCode, ScannedOrganization>,
  code: OrganizationCode,
  rest: string | undefined,
  { pk, sk }: Key,
): void {
  const ofCode = scanned.get(code) ?? { hasHead: false, partitions: new Map(), holeItems: new Map() };
  scanned.set(code, ofCode);
  if (rest === undefined) ofCode.hasHead ||= sk === 'HEAD';
  else if (pk.endsWith(holesEnd)) {
    const partition = pk.slice(0, -holesEnd.length);
    // Of several items, keep one that is no former item: it may be unknown.
    if (!ofCode.holeItems.has(partition) || !parseFormerKey({ pk, sk })) ofCode.holeItems.set(partition, sk);
  } else if (!notCollections.includes(rest)) ofCode.partitions.set(rest, sk);
}

/** Keeps an item that stands in an index of another organization, by the code of that one. */
function observeForeign(foreignItems: Map<string, IndexedItem[]>, key: Key, item: Item): void {
  const [, own] = partitionOf.exec(key.pk) ?? [];
  for (const index of [...listIndexes, ...searchIndexes]) {
    const partition = item[keyNamesOf(index).pkName];
    const [, code] = typeof partition === 'string' ? (partitionOf.exec(partition) ?? []) : [];
    if (typeof partition !== 'string' || code === undefined || code === own) continue;
    const ofCode = foreignItems.get(code) ?? [];
    foreignItems.set(code, ofCode);
    ofCode.push({ index, partition, key });
  }
}

/** Codes of the organizations that have a head. Each other one becomes a finding in `strays`. */
async function foundedIn(
  reads: TableReads,
  scanned: ReadonlyMap<OrganizationCode, ScannedOrganization>,
  strays: Finding[],
): Promise<OrganizationCode[]> {
  const founded: OrganizationCode[] = [];
  for (const [code, { hasHead }] of scanned) {
    // The scan may have passed the head's key before the organization was founded.
    const [start] = hasHead ? [] : await runChecks(reads, [checkStart(code)]);
    if (start === undefined || start === unsettled || start.head) founded.push(code);
    else strays.push(missingHead(code, start.isImport));
  }
  return founded.sort();
}

/** Findings for partitions that neither this version of the code nor the head knows. */
const strayPartitions = (
  { organization, counts }: Report,
  known: ReadonlySet<string>,
  partitions: ReadonlyMap<string, string> = new Map(),
): Finding[] =>
  [...partitions]
    .filter(([rest]) => !known.has(rest) && !(rest in counts))
    .map(([rest, sk]) => unknownItem({ pk: recordsPartition(organization, rest), sk }));

async function confirmInto(
  reads: TableReads,
  findings: Finding[],
  checks: readonly Check<Finding | undefined>[],
): Promise<void> {
  const results = await runChecks(reads, checks);
  const left = results.filter((result) => result === unsettled).length;
  for (const [at, check] of checks.entries()) {
    const finding = results[at];
    if (finding && finding !== unsettled) findings.push(withRecheck(finding, check));
  }
  if (left === 0) return;
  const sentence = `Checks of grants and phone numbers without a result, since others wrote each time that the items were read: ${left}. Verify again.`;
  findings.push({ kind: 'unsettled', where: 'grants and phone numbers', sentence });
}

/**
 * Checks that a token's record has the grant's hash. The token's organization checks that grant and record
 * agree.
 */
function checkGrant(hash: string): Check<Finding | undefined> {
  const key = grantKey(hash);
  const where = `TOKEN#${hash.slice(0, 8)}…`;
  return (snapshot) => {
    const item: Item | undefined = snapshot.get(key);
    if (!item) return undefined;
    const grant = v.safeParse(Grant, item);
    if (!grant.success) {
      return { kind: 'grant-without-record', where, sentence: `The grant ${where} cannot be read.` };
    }
    const { organization, tokenId } = grant.output;
    const token = snapshot.get(recordKey(organization, tokens.name, tokenId));
    if (token?.['hash'] === hash) return undefined;
    const sentence = `The grant ${where} names token ${tokenId} of ${organization}, whose record is missing or has another hash.`;
    // If the token's record or its hash is lost, the grant is all that is left of a token in use: no repair.
    const isOfNobody = v.is(tokens.schema, token);
    // The named organization writes the repair.
    const repair = { ...removeGrant(key), organization };
    return { kind: 'grant-without-record', where, sentence, ...(isOfNobody && { repair }) };
  };
}
