import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Finding, FindingKind } from '../verify/finding.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import { findingsIn } from '../verify/report.ts';
import type { TableReport } from '../verify/verify-table.ts';
import { OrganizationRepair, type RepairableFinding } from './organization-repair.ts';

export interface Repaired {
  organization: OrganizationCode;
  finding: RepairableFinding;
}

/** Findings that were repaired, and the result of verifying again. */
export interface RepairReport {
  repaired: Repaired[];
  remaining: TableReport;
}

/** Maximum number of rounds: a repair can uncover damage that was hidden. */
const maxRounds = 50;

/** Kinds in the order of repair, before all others: later repairs read what these repairs store. */
const repairedFirst: readonly FindingKind[] = [
  'event-beyond',
  'record-beyond',
  'queue-counter-behind',
  'hole-malformed',
  'list-malformed',
  'record-malformed',
  'record-missing',
  'pipeline-missing',
  'former-item-missing',
  'former-item-malformed',
  'rank-beyond',
  'rank-and-hole',
  'rank-doubled',
  'position-wrong',
  'positions-missing',
  'rank-missing',
];

/**
 * Repairs all findings that have a repair, and verifies again. Repeats this until no finding has a repair,
 * nothing was written, or `maxRounds` is reached.
 * @throws Failure `unavailable` or `internal`, as a write does; earlier repairs stay
 */
export async function repairAll(
  access: TableAccess,
  verify: () => Promise<TableReport>,
): Promise<RepairReport> {
  const repaired: Repaired[] = [];
  let remaining = await verify();
  for (let round = 0; round < maxRounds; round++) {
    const repairable = repairableIn(remaining);
    if (repairable.length === 0) break;
    const isStored = await storeAny(access, repairable);
    // Also if nothing was written: another writer may have repaired it.
    remaining = await verify();
    if (!isStored) break;
    // One repair can also remove the cause of other findings.
    const isLeft = new Set(findingsIn(remaining).map(textOf));
    repaired.push(...repairable.filter(({ finding }) => !isLeft.has(textOf(finding))));
  }
  return { repaired, remaining };
}

function repairableIn(report: TableReport): Repaired[] {
  return [
    ...report.organizations.flatMap(({ organization, findings }) =>
      findings.filter(isRepairable).map((finding) => ({ organization, finding })),
    ),
    ...report.strays.filter(isRepairable).flatMap((finding) => {
      const { organization } = finding.repair;
      return organization === undefined ? [] : [{ organization, finding }];
    }),
  ];
}

/** False if nothing was written. */
async function storeAny(access: TableAccess, repairable: readonly Repaired[]): Promise<boolean> {
  let isStored = false;
  for (const [organization, all] of Map.groupBy(repairable, (one) => one.organization)) {
    const findings = all.map(({ finding }) => finding).sort((one, other) => orderOf(one) - orderOf(other));
    if (await new OrganizationRepair(access, organization).repair(findings)) isStored = true;
  }
  return isStored;
}

export const isRepairable = (finding: Finding): finding is RepairableFinding => finding.repair !== undefined;

const orderOf = ({ kind }: Finding): number => {
  const at = repairedFirst.indexOf(kind);
  return at === -1 ? repairedFirst.length : at;
};

const textOf = ({ kind, where, sentence }: Finding) => JSON.stringify([kind, where, sentence]);
