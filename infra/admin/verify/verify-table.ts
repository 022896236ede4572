import * as v from 'valibot';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import { unknownItem, type Finding, type Report, type TableReport } from './finding.ts';
import { grantWithoutRecord, shown } from './grants.ts';
import type { ScannedOrganization } from './organization-reader.ts';
import { inParallel, TableReads, type IndexedItem, type TableAccess } from '../table/table-reads.ts';
import { OrganizationVerification, type VerifyOptions } from './verify-organization.ts';

/** Number of organizations that are verified at a time. */
const atOnce = 2;

type OnVerified = (verification: OrganizationVerification, report: Report) => Promise<unknown>;

/** Verifies an organization, or all of the table, and calls `onVerified` with each that has a head. */
export async function verify(
  access: TableAccess,
  organization: OrganizationCode | undefined,
  options: Pick<VerifyOptions, 'collections'> = {},
  onVerified: OnVerified = () => Promise.resolve(),
): Promise<TableReport> {
  if (organization === undefined) return verifyTable(access, options, onVerified);
  const verification = new OrganizationVerification(access, organization, options);
  const report = await verification.run();
  await onVerified(verification, report);
  return { organizations: [report], strays: [] };
}

/**
 * Verifies each organization of a table, and that no item belongs to none of them. Scans the
 * keys of the table once, and writes nothing. `onVerified` is called with each organization that has a head.
 */
export async function verifyTable(
  access: TableAccess,
  options: Pick<VerifyOptions, 'collections'> = {},
  onVerified: OnVerified = () => Promise.resolve(),
): Promise<TableReport> {
  const reads = new TableReads(access);
  const { scanned, strays, outside } = await scanTable(reads);
  const all = [...scanned].sort(([one], [other]) => (one < other ? -1 : 1));
  const organizations: Report[] = [];
  await inParallel(atOnce, all, async ([code, one]) => {
    const verification = new OrganizationVerification(access, code, { ...options, scanned: one });
    const report = await verification.run();
    if (report.findings.some(isWithoutHead)) {
      strays.push(...report.findings);
      outside.push(...one.outside);
    } else {
      organizations.push(report);
      await onVerified(verification, report);
    }
  });
  for (const key of outside) strays.push(...(await strayAt(reads, key)));
  organizations.sort((one, other) => (one.organization < other.organization ? -1 : 1));
  return { organizations, strays };
}

const isWithoutHead = ({ kind }: Finding) => kind === 'head-missing' || kind === 'import-unfinished';

async function scanTable(reads: TableReads) {
  const scanned = new Map<OrganizationCode, ScannedOrganization>();
  const strays: Finding[] = [];
  /** Grants and phone numbers, with the code that they name. */
  const named: [Key, unknown][] = [];
  /** Items in indexes of other organizations, with the code of that organization. */
  const foreign: [OrganizationCode, IndexedItem][] = [];
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = keys.keyOfItem(item);
      const code = codeIn(key.pk);
      if (code !== undefined) {
        const one = scanned.get(code) ?? { partitions: new Set(), outside: [], foreign: [] };
        scanned.set(code, one);
        one.partitions.add(key.pk);
      } else if (/^TOKEN#.* TOKEN$|^NUMBER#.* NUMBER$/s.test(keys.nameOfKey(key)))
        named.push([key, item['organization']]);
      else strays.push(unknownItem(key));
      for (const index of [...keys.listIndexes, ...keys.searchIndexes]) {
        const partition = item[keys.keyNamesOf(index).pkName];
        const other = typeof partition === 'string' ? codeIn(partition) : undefined;
        if (typeof partition === 'string' && other !== undefined && other !== code)
          foreign.push([other, { index, partition, key }]);
      }
    }
  }
  for (const [code, place] of foreign) scanned.get(code)?.foreign.push(place);
  const byCode = new Map<unknown, ScannedOrganization>(scanned);
  /** Keys of grants and phone numbers that name no organization of the table. */
  const outside: Key[] = [];
  for (const [key, code] of named) (byCode.get(code)?.outside ?? outside).push(key);
  return { scanned, strays, outside };
}

/** Codes of the organizations that have a head, in their order. Scans the keys of the table once. */
export async function foundedIn(reads: TableReads): Promise<OrganizationCode[]> {
  const codes: OrganizationCode[] = [];
  for await (const page of reads.everyKey())
    for (const key of page.map(keys.keyOfItem)) {
      const code = codeIn(key.pk);
      if (code !== undefined && keys.nameOfKey(key) === keys.nameOfKey(keys.headKey(code))) codes.push(code);
    }
  return codes.sort();
}

/** Code of the organization of a partition, in the table or in an index. */
function codeIn(partition: string): OrganizationCode | undefined {
  const code = v.safeParse(OrganizationCode, /^ORG#([^#]*)/.exec(partition)?.[1]);
  return code.success ? code.output : undefined;
}

/** Finding about a grant or a phone number that names no organization of the table; none if it is gone by now. */
async function strayAt(reads: TableReads, key: Key): Promise<Finding[]> {
  const item = await reads.get(key);
  if (!item) return [];
  const [kind, name = ''] = key.pk.split('#');
  if (kind === 'TOKEN') return [grantWithoutRecord(name, item)];
  const where = `NUMBER#${shown(name)}`;
  const code = v.safeParse(OrganizationCode, item['organization']);
  const why = code.success
    ? `is held for ${code.output}, and the record of this organization cannot be read`
    : 'is held, but not for an organization';
  return [{ kind: 'number-without-organization', where, sentence: `The phone number ${where} ${why}.` }];
}
