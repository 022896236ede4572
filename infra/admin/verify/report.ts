import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { collections } from './collections.ts';
import type { Finding, Report } from './finding.ts';
import type { TableReport } from './verify-table.ts';

/** Collections of one record each. The sentence names the organization, and a count of 1 says nothing. */
const single: readonly string[] = [organizations.name, pipelines.name];

/** One line for each finding, and for each whole organization. */
export function findingLines({ organizations: reports, strays }: TableReport, place: string): string[] {
  const ofOrganizations = reports.flatMap((report) =>
    report.findings.length === 0
      ? [wholeSentence(report)]
      : report.findings.map(({ sentence }) => `${report.organization}: ${sentence}`),
  );
  const ofStrays = strays.map(({ sentence }) => sentence);
  const found = findingsIn({ organizations: reports, strays });
  const repairable = found.filter(({ repair }) => repair).length;
  const none = reports.length === 0 ? [`There is no organization ${place}.`] : [];
  const count = `${found.length} ${found.length === 1 ? 'finding' : 'findings'}`;
  const hint = repairable === 0 ? '' : `, ${repairable} of which --repair --yes can repair`;
  const last = found.length === 0 ? none : [`${count}${hint}`];
  return [...ofOrganizations, ...ofStrays, ...last];
}

export const findingsIn = ({ organizations: reports, strays }: TableReport): Finding[] => [
  ...reports.flatMap(({ findings }) => findings),
  ...strays,
];

/** Example: `Harbour Plumbing (6H8EV880) is whole: 9 leads, 14 inquiries, 87 events at version 87.` */
export function wholeSentence({ organization, name, version, counts }: Report): string {
  const parts = Object.entries(counts).flatMap(([collection, count]) =>
    count === 0 || single.includes(collection) ? [] : [counted(count, collection)],
  );
  return `${name ?? 'The organization'} (${organization}) is whole: ${parts.join(', ')} at version ${version ?? 0}.`;
}

function counted(count: number, name: string): string {
  const label = collections.find((one) => one.name === name)?.label ?? `records of ${name}`;
  const plural = label.endsWith('y') ? `${label.slice(0, -1)}ies` : `${label}s`;
  return `${count} ${count === 1 ? label : plural}`;
}
