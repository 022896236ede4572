import { manualRepairs, repairHeadFirst, type Finding } from '../verify/finding.ts';
import { findingsIn, findingLines, wholeSentence } from '../verify/report.ts';
import type { TableReport } from '../verify/verify-table.ts';
import { lossSentences } from './losses.ts';
import type { RepairReport } from './repair-all.ts';
import { isRepairable } from './repair-planner.ts';

/** Lines of a dry run: each finding, then its repair, or the advice for an operator. */
export function planLines(report: TableReport, place: string): string[] {
  const findings = findingsIn(report);
  const count = findings.filter(isRepairable).length;
  const rest = findings.length - count;
  const last = [
    ...(count > 0
      ? [`${counted(count)} can be repaired. Nothing was written yet: add --yes to repair.`]
      : []),
    ...(rest > 0 ? [`${counted(rest)} must be repaired by hand.`] : []),
  ];
  return findings.length === 0 ? findingLines(report, place) : [...leftLines(report), ...last];
}

/** Lines of a repair: what was repaired, then what is left. */
export function repairedLines({ repaired, losses, remaining }: RepairReport): string[] {
  const rest = findingsIn(remaining).length;
  return [
    ...repaired.flatMap(({ organization, finding }) => [
      `${organization}: ${finding.sentence}`,
      `  Repaired: ${finding.repair.sentence}.`,
    ]),
    ...leftLines(remaining),
    ...lossSentences(losses).map((sentence) => `${sentence}.`),
    ...(repaired.length > 0 ? [`${counted(repaired.length)} repaired.`] : []),
    ...(rest > 0 ? [`${counted(rest)} left.`] : []),
  ];
}

/** JSON of a repair, for scripts. */
export const repairJson = ({ repaired, losses, remaining }: RepairReport) => ({
  ...planJson(remaining),
  losses,
  repaired: repaired.map(({ organization, finding }) => ({ organization, ...findingJson(finding) })),
});

/** JSON of a dry run, for scripts. */
export const planJson = (report: TableReport) => ({
  findings: findingsIn(report).length,
  organizations: report.organizations.map((one) => ({ ...one, findings: one.findings.map(findingJson) })),
  strays: report.strays.map(findingJson),
});

const findingJson = (finding: Finding) => {
  const { kind, where, sentence, repair } = finding;
  return {
    kind,
    where,
    sentence,
    ...(repair ? { repair: repair.sentence } : { byHand: adviceOn(finding) }),
  };
};

function leftLines({ organizations, strays }: TableReport): string[] {
  return [
    ...organizations.flatMap((report) =>
      report.findings.length === 0
        ? [wholeSentence(report)]
        : report.findings.flatMap((finding) => [
            `${report.organization}: ${finding.sentence}`,
            todo(finding),
          ]),
    ),
    ...strays.flatMap((finding) => [finding.sentence, todo(finding)]),
  ];
}

const todo = (finding: Finding) =>
  finding.repair ? `  Repair: ${finding.repair.sentence}.` : `  By hand: ${adviceOn(finding)}.`;

const adviceOn = ({ kind, isDeferred }: Finding) => (isDeferred ? repairHeadFirst : manualRepairs[kind]);

const counted = (count: number) => `${count} ${count === 1 ? 'finding' : 'findings'}`;
