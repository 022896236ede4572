import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  grantKey,
  keyNamesOf,
  listIndexes,
  holesPartition,
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
import { checkClaim } from './phone-numbers.ts';
import { runChecks, unsettled, type Check } from './snapshots.ts';
import { TableReads, type TableAccess } from './table-reads.ts';
import { verifyOrganization, type Options } from './verify-organization.ts';
import { mayRepair, deferRepair } from './deferred-repairs.ts';

/** What is known of a table after it was verified. */
export interface TableReport {
  organizations: Report[];
  /** What belongs to no organization. */
  strays: Finding[];
}

/** What a scan shows of an organization. */
interface ScannedOrganization {
  hasHead: boolean;
  /** Partitions that may be collections, without what they begin with, and one sort key of each. */
  partitions: Map<string, string>;
  /** One sort key of the notes of each list, by the list's partition. */
  notes: Map<string, string>;
}

const partitionOf = /^ORG#([^#]*)(?:#(.*))?$/s;
const notCollections: readonly string[] = ['UNIQUE', 'TURN', 'DAY'];
/** What the partitions of the notes of lists end with. */
const holesEnd = holesPartition('');

/** How many organizations are verified at a time. */
const atOnce = 2;

/**
 * Proves every organization of a table, as `verifyOrganization` does each, and that nothing in the table belongs to none.
 * It scans the keys of the whole table once, and writes nothing.
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
      holeItems: scanned.get(code)?.notes,
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
  const known = scanned.get(code) ?? { hasHead: false, partitions: new Map(), notes: new Map() };
  scanned.set(code, known);
  if (rest === undefined) known.hasHead ||= sk === 'HEAD';
  else if (pk.endsWith(holesEnd)) {
    const partition = pk.slice(0, -holesEnd.length);
    // Where there is more than one item, what is no former item is told of.
    if (!known.notes.has(partition) || !parseFormerKey({ pk, sk })) known.notes.set(partition, sk);
  } else if (!notCollections.includes(rest)) known.partitions.set(rest, sk);
}

/** HoleItems an item that is in an index of another organization than its own, by that one's code. */
function observeForeign(foreignItems: Map<string, IndexedItem[]>, key: Key, item: Item): void {
  const [, own] = partitionOf.exec(key.pk) ?? [];
  for (const index of [...listIndexes, ...searchIndexes]) {
    const partition = item[keyNamesOf(index).pkName];
    const [, code] = typeof partition === 'string' ? (partitionOf.exec(partition) ?? []) : [];
    if (typeof partition !== 'string' || code === undefined || code === own) continue;
    const known = foreignItems.get(code) ?? [];
    foreignItems.set(code, known);
    known.push({ index, partition, key });
  }
}

/** The organizations that have a head; of others, one finding each. */
async function foundedIn(
  reads: TableReads,
  scanned: ReadonlyMap<OrganizationCode, ScannedOrganization>,
  strays: Finding[],
): Promise<OrganizationCode[]> {
  const founded: OrganizationCode[] = [];
  for (const [code, { hasHead }] of scanned) {
    // One that was founded during the scan may have been passed before its head was there.
    const [start] = hasHead ? [] : await runChecks(reads, [checkStart(code)]);
    if (start === undefined || start === unsettled || start.head) founded.push(code);
    else strays.push(missingHead(code, start.isImport));
  }
  return founded.sort();
}

/** Partitions of an organization which neither this version of the code knows nor its head. */
const strayPartitions = (
  { organization, counts }: Report,
  known: ReadonlySet<string>,
  partitions: ReadonlyMap<string, string> = new Map(),
): Finding[] =>
  [...partitions]
    .filter(([rest]) => !known.has(rest) && !(rest in counts))
    .map(([rest, sk]) => unknownItem({ pk: `ORG#${organization}#${rest}`, sk }));

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
  const sentence = `Grants and phone numbers that could not be judged, since they were written to each time they were read: ${left}. Verify again.`;
  findings.push({ kind: 'unsettled', where: 'grants and phone numbers', sentence });
}

/** Whether a token's record holds the grant. Whether the two agree, the token's organization proves. */
function checkGrant(hash: string): Check<Finding | undefined> {
  const key = grantKey(hash);
  const where = `TOKEN#${hash.slice(0, 8)}…`;
  return (snapshot) => {
    const item: Item | undefined = snapshot.get(key);
    if (!item) return undefined;
    const grant = v.safeParse(Grant, item);
    if (!grant.success) {
      return { kind: 'grant-of-nobody', where, sentence: `The grant ${where} cannot be read.` };
    }
    const { organization, tokenId } = grant.output;
    const token = snapshot.get(recordKey(organization, tokens.name, tokenId));
    if (token?.['hash'] === hash) return undefined;
    const sentence = `The grant ${where} names token ${tokenId} of ${organization}, which is not the token that it is of.`;
    // Where that token's record is lost, or its hash, the grant is all that is left of a token in use.
    const isOfNobody = v.is(tokens.schema, token);
    // It is taken away by a write of the organization that it names.
    const repair = { ...removeGrant(key), organization };
    return { kind: 'grant-of-nobody', where, sentence, ...(isOfNobody && { repair }) };
  };
}
