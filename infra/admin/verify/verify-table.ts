import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { grantKey, headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { collectionNamed } from './collections.ts';
import type { Finding, Report } from './finding.ts';
import { settle, unsettled, type Judge } from './snapshots.ts';
import { TableReads, type TableAccess } from './table-reads.ts';
import { keyName, verifyOrganization } from './verify-organization.ts';

/** What is known of a table after it was verified. */
export interface TableReport {
  organizations: Report[];
  /** What belongs to no organization. */
  strays: Finding[];
}

/** What a scan shows of an organization. */
interface Scanned {
  hasHead: boolean;
  /** Partitions that no collection of this version has, without what they begin with; and one item of each. */
  unknown: Map<string, string>;
}

const partitionOf = /^ORG#([^#]*)(?:#(.*))?$/;
const notCollections: readonly string[] = ['UNIQUE', 'TURN'];

/** How many organizations are verified at a time. */
const atOnce = 2;

/**
 * Proves every organization of a table, as `verifyOrganization` does each, and that nothing in the table belongs to none.
 * It scans the keys of the whole table once, and writes nothing.
 */
export async function verifyTable(access: TableAccess): Promise<TableReport> {
  const reads = new TableReads(access);
  const strays: Finding[] = [];
  const scanned = new Map<OrganizationCode, Scanned>();
  const grants: string[] = [];
  const unknown = (key: { pk: string; sk: string }) => {
    const where = keyName(key);
    strays.push({
      kind: 'unknown-item',
      where,
      sentence: `${where} is no item that the ledger would write.`,
    });
  };
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = { pk: String(item['pk']), sk: String(item['sk']) };
      const [, code, rest] = partitionOf.exec(key.pk) ?? [];
      const organization = v.safeParse(OrganizationCode, code);
      if (organization.success) note(scanned, organization.output, rest, key.sk);
      else if (key.pk.startsWith('TOKEN#') && key.sk === 'TOKEN') grants.push(key.pk.slice('TOKEN#'.length));
      else unknown(key);
    }
  }

  await settleInto(reads, strays, grants.map(judgeGrant));
  const founded = await withHead(reads, scanned, strays);
  const reports: Report[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < founded.length; at = next++) {
      const code = founded[at];
      if (code !== undefined) reports[at] = await verifyOrganization(access, code);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const report of reports) strays.push(...strayPartitions(report, scanned.get(report.organization)));
  return { organizations: reports, strays };
}

function note(
  scanned: Map<OrganizationCode, Scanned>,
  code: OrganizationCode,
  rest: string | undefined,
  sk: string,
): void {
  const known = scanned.get(code) ?? { hasHead: false, unknown: new Map<string, string>() };
  scanned.set(code, known);
  if (rest === undefined) known.hasHead ||= sk === 'HEAD';
  else if (!notCollections.includes(rest) && !collectionNamed(rest.replace(/#DELETED$/, '')))
    known.unknown.set(rest, sk);
}

/** The organizations that have a head; of others, one finding each. */
async function withHead(
  reads: TableReads,
  scanned: ReadonlyMap<OrganizationCode, Scanned>,
  strays: Finding[],
): Promise<OrganizationCode[]> {
  const founded: OrganizationCode[] = [];
  for (const [code, { hasHead }] of scanned) {
    // One that was founded during the scan may have been passed before its head was there.
    const [head] = hasHead ? [true] : await settle(reads, [(look) => look(headKey(code)) !== undefined]);
    if (head === false) {
      const where = keyName(headKey(code));
      const sentence = `${where} is missing, though there are items of that organization.`;
      strays.push({ kind: 'head-missing', where, sentence });
    } else founded.push(code);
  }
  return founded.sort();
}

/** Partitions of an organization which neither this version of the code knows nor its head. */
function strayPartitions({ organization, counts }: Report, scanned: Scanned | undefined): Finding[] {
  return [...(scanned?.unknown ?? [])].flatMap(([rest, sk]) => {
    if (rest.replace(/#DELETED$/, '') in counts) return [];
    const where = keyName({ pk: `ORG#${organization}#${rest}`, sk });
    return [{ kind: 'unknown-item', where, sentence: `${where} is no item that the ledger would write.` }];
  });
}

async function settleInto(
  reads: TableReads,
  findings: Finding[],
  judges: readonly Judge<Finding | undefined>[],
): Promise<void> {
  const results = await settle(reads, judges);
  const left = results.filter((result) => result === unsettled).length;
  findings.push(...results.filter((result) => result !== undefined && result !== unsettled));
  if (left === 0) return;
  const sentence = `Grants that could not be judged, since they were written to each time they were read: ${left}. Verify again.`;
  findings.push({ kind: 'unsettled', where: 'grants', sentence });
}

/** Whether a token's record holds the grant. Whether the two agree, the token's organization proves. */
function judgeGrant(hash: string): Judge<Finding | undefined> {
  const key = grantKey(hash);
  const where = `TOKEN#${hash.slice(0, 8)}…`;
  return (look) => {
    const item: Item | undefined = look(key);
    if (!item) return undefined;
    const grant = v.safeParse(Grant, item);
    if (!grant.success) {
      return { kind: 'grant-of-nobody', where, sentence: `The grant ${where} cannot be read.` };
    }
    const { organization, tokenId } = grant.output;
    const token = look(recordKey(organization, tokens.name, tokenId));
    if (token?.['hash'] === hash) return undefined;
    const sentence = `The grant ${where} names token ${tokenId} of ${organization}, which is not the token that it is of.`;
    return { kind: 'grant-of-nobody', where, sentence };
  };
}
