import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  keyNamesOf,
  keyOfItem,
  listIndexes,
  searchIndexes,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { unknownItem, type Finding, type Report, type TableReport } from './finding.ts';
import { grantWithoutRecord, shown } from './grants.ts';
import type { ScannedOrganization } from './organization-reader.ts';
import { inParallel } from './parallel.ts';
import { TableReads, type IndexedItem, type TableAccess } from './table-reads.ts';
import { missingHead, OrganizationVerification, type VerifyOptions } from './verify-organization.ts';

/** Organization with items in the table. */
interface Scanned extends ScannedOrganization {
  partitions: Set<string>;
  outside: Key[];
  foreign: IndexedItem[];
  hasHead: boolean;
}

/** Number of organizations that are verified at a time. */
const atOnce = 2;
const partitionOf = /^ORG#([^#]*)/;

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
 * Verifies each organization of a table, as `verifyOrganization` does, and that no item belongs to none of them. Scans the
 * keys of the table once, and writes nothing. `onVerified` is called with each organization that has a head.
 */
export async function verifyTable(
  access: TableAccess,
  options: Pick<VerifyOptions, 'collections'> = {},
  onVerified: OnVerified = () => Promise.resolve(),
): Promise<TableReport> {
  const { scanned, strays, outside } = await scanTable(new TableReads(access));
  const opened = [...scanned].map(([code, one]) => ({
    code,
    one,
    verification: new OrganizationVerification(access, code, { ...options, scanned: one }),
  }));
  const founded: typeof opened = [];
  for (const one of opened.sort((some, other) => (some.code < other.code ? -1 : 1))) {
    // The scan may have passed the head's key before the organization was founded.
    const start = one.one.hasHead ? undefined : await one.verification.reader.readHead();
    if (start === undefined || start.item) founded.push(one);
    else strays.push(missingHead(one.code, start.isImport));
  }
  for (const item of outside) {
    const named = founded.find(({ code }) => code === item['organization']);
    const key = keyOfItem(item);
    if (named) named.one.outside.push(key);
    else strays.push(...(await strayAt(new TableReads(access), key)));
  }
  const organizations = await inParallel(atOnce, founded, async ({ verification }) => {
    const report = await verification.run();
    await onVerified(verification, report);
    return report;
  });
  return { organizations, strays };
}

async function scanTable(reads: TableReads) {
  const scanned = new Map<OrganizationCode, Scanned>();
  const strays: Finding[] = [];
  /** Grants and phone numbers. */
  const outside: Item[] = [];
  const at = (code: OrganizationCode) => {
    const one = scanned.get(code) ?? { partitions: new Set(), outside: [], foreign: [], hasHead: false };
    scanned.set(code, one);
    return one;
  };
  const foreign: [string, IndexedItem][] = [];
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = keyOfItem(item);
      const [, own] = partitionOf.exec(key.pk) ?? [];
      foreign.push(...foreignPlaces(item, key, own));
      const code = v.safeParse(OrganizationCode, own);
      if (code.success) {
        const one = at(code.output);
        one.partitions.add(key.pk);
        one.hasHead ||= key.pk === `ORG#${code.output}` && key.sk === 'HEAD';
      } else if (/^TOKEN#.* TOKEN$|^NUMBER#.* NUMBER$/s.test(`${key.pk} ${key.sk}`)) outside.push(item);
      else strays.push(unknownItem(key));
    }
  }
  for (const [code, place] of foreign) {
    const parsed = v.safeParse(OrganizationCode, code);
    if (parsed.success) scanned.get(parsed.output)?.foreign.push(place);
  }
  return { scanned, strays, outside };
}

/** Partitions of indexes of other organizations that an item is in, each with the code of that organization. */
const foreignPlaces = (item: Item, key: Key, own: string | undefined): [string, IndexedItem][] =>
  [...listIndexes, ...searchIndexes].flatMap((index) => {
    const partition = item[keyNamesOf(index).pkName];
    const [, code] = typeof partition === 'string' ? (partitionOf.exec(partition) ?? []) : [];
    return typeof partition === 'string' && code !== undefined && code !== own
      ? [[code, { index, partition, key }]]
      : [];
  });

/** Finding about a grant or a phone number that names no organization of the table; none if it is gone by now. */
async function strayAt(reads: TableReads, key: Key): Promise<Finding[]> {
  const item = await reads.get(key);
  if (!item) return [];
  const [kind, name = ''] = key.pk.split('#');
  if (kind === 'TOKEN') return [grantWithoutRecord(name, item)];
  const where = `NUMBER#${shown(name)}`;
  const code = v.safeParse(OrganizationCode, item['organization']);
  const why = code.success
    ? `is held for ${code.output}, whose own record cannot be read`
    : 'is held for what is no organization';
  return [{ kind: 'number-without-organization', where, sentence: `The phone number ${where} ${why}.` }];
}
