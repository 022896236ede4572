import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { collections } from './collections.ts';
import type { Report } from './finding.ts';
import type { TableReport } from './verify-table.ts';

/** What was found, for a person: a line for each finding, and for each organization that is whole. */
export function linesOf({ organizations: reports, strays }: TableReport, place: string): string[] {
  const ofOrganizations = reports.flatMap((report) =>
    report.findings.length === 0
      ? [`${wholeSentence(report)}\n`]
      : report.findings.map(({ sentence }) => `${report.organization}: ${sentence}\n`),
  );
  const ofStrays = strays.map(({ sentence }) => `${sentence}\n`);
  const found = countOfFindings({ organizations: reports, strays });
  const none = reports.length === 0 ? [`There is no organization ${place}.\n`] : [];
  const last = found === 0 ? none : [`${found} ${found === 1 ? 'finding' : 'findings'}\n`];
  return [...ofOrganizations, ...ofStrays, ...last];
}

/** The same for a script. */
export const reportJson = (report: TableReport) => ({
  findings: countOfFindings(report),
  organizations: report.organizations,
  strays: report.strays,
});

const countOfFindings = ({ organizations: reports, strays }: TableReport) =>
  reports.reduce((sum, { findings }) => sum + findings.length, strays.length);

/** `Harbour Plumbing (6H8EV880) is whole: 9 leads, 14 inquiries, 87 events at version 87.` */
function wholeSentence({ organization, name, version, counts }: Report): string {
  const parts = Object.entries(counts).flatMap(([collection, count]) =>
    // There is one of it, and the sentence names it.
    count === 0 || collection === organizations.name ? [] : [counted(count, collection)],
  );
  return `${name ?? 'The organization'} (${organization}) is whole: ${parts.join(', ')} at version ${version ?? 0}.`;
}

function counted(count: number, name: string): string {
  const label = collections.find((one) => one.name === name)?.label ?? `records of ${name}`;
  const plural = label.endsWith('y') ? `${label.slice(0, -1)}ies` : `${label}s`;
  return `${count} ${count === 1 ? label : plural}`;
}
