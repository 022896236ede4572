import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { collections } from '../table/collections.ts';
import {
  findingsIn,
  isRepairable,
  adviceByKind,
  type Finding,
  type FindingKind,
  type RepairableFinding,
  type Report,
  type TableReport,
} from '../verify/finding.ts';

/** Repaired findings, the losses with them, and the result of the last verification. */
export interface RepairReport {
  repaired: { organization: OrganizationCode; finding: RepairableFinding }[];
  losses: Loss[];
  remaining: TableReport;
}

/** Change that a repair may hide: a part of a write is stored, and the repair makes the rest fit. */
export interface Loss {
  /** Id of the record, or key of the item. */
  where: string;
  /** True if a change is lost for certain; else it is perhaps lost. */
  isCertain: boolean;
}

/**
 * Kinds of findings with a repair that removes no trace of a write: faults within one item, and faults in the order of
 * writers. A write stores an item whole or not at all. `event-beyond`: the write's event is there, and each record that
 * the event names is judged by it.
 */
const harmless: readonly FindingKind[] = [
  'event-beyond',
  'position-wrong',
  'index-wrong',
  'queue-counter-behind',
];

/** Kinds that show a write with a lost event. */
const certain: readonly FindingKind[] = ['revision-ahead', 'record-beyond'];

/**
 * Losses that the repairs of these findings would hide, each place once. A restore or a fault may have stored some
 * items of a write and not others. The repair then makes the organization whole without that write, or without its
 * event.
 */
export function lossesOf(findings: readonly Finding[]): Loss[] {
  const places = new Map<string, boolean>();
  for (const { kind, where } of findings)
    if (!harmless.includes(kind)) places.set(where, certain.includes(kind) || places.get(where) === true);
  return [...places].map(([where, isCertain]) => ({ where, isCertain }));
}

/** Sentences about losses, without full stops: on the terminal and in the repair's event. */
export const lossSentences = (losses: readonly Loss[]): string[] =>
  [true, false].flatMap((isCertain) => {
    const places = losses.filter((loss) => loss.isCertain === isCertain).map(({ where }) => where);
    const sentence = isCertain ? 'Events were lost, of changes of' : 'Changes were perhaps lost, of';
    return places.length === 0 ? [] : [`${sentence}: ${places.join(', ')}`];
  });

/** Lines of a verification. With `isPlan` each finding has its repair, or the advice for an operator. */
export function verifiedLines(report: TableReport, place: string, isPlan: boolean): string[] {
  const found = findingsIn(report);
  if (found.length + report.organizations.length === 0) return [`There is no organization ${place}.`];
  const repairable = found.filter(isRepairable).length;
  const hint = repairable === 0 ? '' : `; --repair --yes can repair ${repairable}`;
  const plan = [
    ...counted(repairable, ' can be repaired. Nothing was written yet: add --yes to repair.'),
    ...counted(found.length - repairable, ' must be repaired by hand.'),
  ];
  return [...foundLines(report, isPlan), ...(isPlan ? plan : counted(found.length, hint))];
}

/** Lines of a repair: first the repaired findings, then the remaining findings. */
export const repairedLines = ({ repaired, losses, remaining }: RepairReport): string[] => [
  ...repaired.flatMap(({ organization, finding }) => [
    `${organization}: ${finding.sentence}`,
    `  Repaired: ${finding.repair.sentence}.`,
  ]),
  ...foundLines(remaining, true),
  ...lossSentences(losses).map((sentence) => `${sentence}.`),
  ...counted(repaired.length, ' repaired.'),
  ...counted(findingsIn(remaining).length, ' left.'),
];

/** JSON of a verification, for scripts. */
export const verifiedJson = (report: TableReport) => ({
  findings: findingsIn(report).length,
  organizations: report.organizations.map((one) => ({ ...one, findings: one.findings.map(findingJson) })),
  strays: report.strays.map(findingJson),
});

/** JSON of a repair, for scripts. */
export const repairedJson = ({ repaired, losses, remaining }: RepairReport) => ({
  ...verifiedJson(remaining),
  losses,
  repaired: repaired.map(({ organization, finding }) => ({ organization, ...findingJson(finding) })),
});

const findingJson = (finding: Finding) => {
  const { kind, where, sentence } = finding;
  return { kind, where, sentence, ...todoOf(finding) };
};

/** Lines of the findings, and a sentence for each organization that is whole. */
export function foundLines({ organizations: reports, strays }: TableReport, isPlan = false): string[] {
  const linesOf = (finding: Finding, prefix = '') => {
    const { repair, byHand = '' } = todoOf(finding);
    const todo = repair === undefined ? `By hand: ${byHand}` : `Repair: ${repair}`;
    return [`${prefix}${finding.sentence}`, ...(isPlan ? [`  ${todo}.`] : [])];
  };
  return [
    ...reports.flatMap((report) =>
      report.findings.length === 0
        ? [wholeSentence(report)]
        : report.findings.flatMap((finding) => linesOf(finding, `${report.organization}: `)),
    ),
    ...strays.flatMap((finding) => linesOf(finding)),
  ];
}

/** Repair of a finding, or else the advice for an operator. */
const todoOf = ({
  kind,
  repair,
  advice = adviceByKind[kind],
}: Finding): { repair?: string; byHand?: string } =>
  repair ? { repair: repair.sentence } : { byHand: advice };

const counted = (count: number, rest: string) =>
  count === 0 ? [] : [`${count} ${count === 1 ? 'finding' : 'findings'}${rest}`];

/** Collections of one record each. The sentence names the organization, and a count of 1 says nothing. */
const single: readonly string[] = [organizations.name, pipelines.name];

/** Example: `Harbour Plumbing (6H8EV880) is whole: 9 leads, 14 inquiries, 87 events at version 87.` */
function wholeSentence({ organization, name = 'The organization', version = 0, counts }: Report): string {
  const parts = Object.entries(counts).flatMap(([collection, count]) => {
    const label = collections.find((one) => one.name === collection)?.label ?? `records of ${collection}`;
    const plural = label.endsWith('y') ? `${label.slice(0, -1)}ies` : `${label}s`;
    return count === 0 || single.includes(collection) ? [] : [`${count} ${count === 1 ? label : plural}`];
  });
  return `${name} (${organization}) is whole: ${parts.join(', ')} at version ${version}.`;
}
