import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { textOf, type Report } from '../verify/finding.ts';
import { findingsIn } from '../verify/report.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import { OrganizationVerification, type VerifyOptions } from '../verify/verify-organization.ts';
import { verifyTable, type TableReport } from '../verify/verify-table.ts';
import { RepairedMeanwhile } from '../verify/organization-reader.ts';
import { lossesOf, type Loss } from './losses.ts';
import { OrganizationRepair } from './repair-organization.ts';
import { isRepairable, type RepairableFinding } from './repair-planner.ts';

export interface Repaired {
  organization: OrganizationCode;
  finding: RepairableFinding;
}

/** Findings that were repaired, what was lost with them, and the result of verifying again. */
export interface RepairReport {
  repaired: Repaired[];
  losses: Loss[];
  remaining: TableReport;
}

/** Maximum number of rounds: the repair of one organization can uncover damage of another. */
const maxRounds = 5;

/**
 * Repairs all findings of an organization that have a repair, or of all organizations, and verifies again.
 * @throws Failure `unavailable` or `internal`, as a write does; earlier repairs stay
 */
export async function repairAll(
  access: TableAccess,
  organization: OrganizationCode | undefined,
  options: Pick<VerifyOptions, 'collections'> = {},
): Promise<RepairReport> {
  const repaired: Repaired[] = [];
  const tried: OrganizationRepair[] = [];
  const repairOne = async (verification: OrganizationVerification, report: Report) => {
    // Faults that are not proved while others write can be judged, and repaired, in the queue of writers.
    if (!report.findings.some((finding) => finding.repair ?? finding.kind === 'unsettled')) return;
    const repair = new OrganizationRepair(access, verification);
    tried.push(repair);
    try {
      await repair.run();
    } catch (error) {
      // The next round verifies what the other repair has left.
      if (!(error instanceof RepairedMeanwhile)) throw error;
    } finally {
      const { organization: code } = report;
      repaired.push(...repair.repaired.map((finding) => ({ organization: code, finding })));
    }
  };
  /** Verifies all, and repairs each organization as soon as it is verified. */
  const verify = async (onVerified: typeof repairOne = () => Promise.resolve()): Promise<TableReport> => {
    if (organization === undefined) return verifyTable(access, options, onVerified);
    const verification = new OrganizationVerification(access, organization, options);
    const report = await verification.run();
    await onVerified(verification, report);
    return { organizations: [report], strays: [] };
  };
  let remaining = await verify(repairOne);
  for (let round = 1, count = 0; tried.length > 0 && round <= maxRounds; round++) {
    remaining = await verify();
    if (repaired.length === count || !findingsIn(remaining).some(isRepairable)) break;
    count = repaired.length;
    await verify(repairOne);
  }
  const isLeft = new Set(findingsIn(remaining).map(textOf));
  const stored = new Map(repaired.map((one) => [textOf(one.finding), one]));
  return {
    repaired: [...stored.values()].filter(({ finding }) => !isLeft.has(textOf(finding))),
    losses: lossesOf([...stored.values()].map(({ finding }) => finding)),
    remaining,
  };
}
