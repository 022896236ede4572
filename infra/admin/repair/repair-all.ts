import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { textOf, type Report, type TableReport } from '../verify/finding.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import { OrganizationVerification, type VerifyOptions } from '../verify/verify-organization.ts';
import { verifyTable } from '../verify/verify-table.ts';
import { OrganizationRepair } from './repair-organization.ts';
import { lossesOf, type RepairReport } from './report.ts';

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
  const repaired: RepairReport['repaired'] = [];
  let [mayRepair, tried] = [true, 0];
  const repair = async (verification: OrganizationVerification, { organization: code, findings }: Report) => {
    // Faults that are not proved while others write can be judged, and repaired, in the queue of writers.
    if (!mayRepair || !findings.some((finding) => finding.repair ?? finding.kind === 'unsettled')) return;
    tried++;
    const stored = await new OrganizationRepair(access, verification).run();
    repaired.push(...stored.map((finding) => ({ organization: code, finding })));
  };
  /** Verifies all, and repairs each organization as soon as it is verified. */
  const verify = async (): Promise<TableReport> => {
    if (organization === undefined) return verifyTable(access, options, repair);
    const verification = new OrganizationVerification(access, organization, options);
    const report = await verification.run();
    await repair(verification, report);
    return { organizations: [report], strays: [] };
  };
  let remaining = await verify();
  for (let round = 1, count = 0; tried > 0; round++) {
    // Verified without a repair if the last round stored none, or was the last.
    mayRepair = repaired.length > count && round < maxRounds;
    [count, tried] = [repaired.length, 0];
    remaining = await verify();
  }
  const isLeft = new Set(
    remaining.organizations.flatMap(({ organization: code, findings }) =>
      findings.map((finding) => `${code} ${textOf(finding)}`),
    ),
  );
  const stored = new Map(repaired.map((one) => [`${one.organization} ${textOf(one.finding)}`, one]));
  return {
    repaired: [...stored].flatMap(([name, one]) => (isLeft.has(name) ? [] : [one])),
    losses: lossesOf(repaired.map(({ finding }) => finding)),
    remaining,
  };
}
