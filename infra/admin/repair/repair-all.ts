import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Finding, FindingKind } from '../verify/finding.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import { findingsIn } from '../verify/report.ts';
import type { TableReport } from '../verify/verify-table.ts';
import { OrganizationRepair, type RepairableFinding } from './organization-repair.ts';

/** Something that was put right. */
export interface Repaired {
  organization: OrganizationCode;
  finding: RepairableFinding;
}

/** What was put right, and what is known of the organizations after that. */
export interface RepairReport {
  repaired: Repaired[];
  left: TableReport;
}

/** How often all is verified: what one damage hides is found once that is put right. */
const maxRounds = 50;

/** What others rest on is put right before them. */
const first: readonly FindingKind[] = [
  'event-beyond',
  'record-beyond',
  'turn-behind',
  'hole-malformed',
  'list-malformed',
  'record-malformed',
  'record-missing',
  'pipeline-missing',
  'former-missing',
  'former-malformed',
  'rank-beyond',
  'rank-and-hole',
  'rank-doubled',
  'place-wrong',
  'places-missing',
  'rank-missing',
];

/**
 * Puts right what is derived, and verifies again, until nothing is left that can be put right.
 * @throws Failure `unavailable` or `internal`, as a write does; what was put right before stays so
 */
export async function repairAll(
  access: TableAccess,
  verify: () => Promise<TableReport>,
): Promise<RepairReport> {
  const repaired: Repaired[] = [];
  let left = await verify();
  for (let round = 0; round < maxRounds; round++) {
    const repairable = repairableIn(left);
    if (repairable.length === 0) break;
    const isStored = await storeAny(access, repairable);
    // Also where nothing was written: it may have been put right by others.
    left = await verify();
    if (!isStored) break;
    // One repair can put right what others are about.
    const isLeft = new Set(findingsIn(left).map(textOf));
    repaired.push(...repairable.filter(({ finding }) => !isLeft.has(textOf(finding))));
  }
  return { repaired, left };
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

/** Puts right what it can; false where nothing was written. */
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
  const at = first.indexOf(kind);
  return at === -1 ? first.length : at;
};

const textOf = ({ kind, where, sentence }: Finding) => JSON.stringify([kind, where, sentence]);
