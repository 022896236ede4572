import type { Finding, Report } from './finding.ts';

/**
 * False if a repair must not write to the ledger. A repair is stored as the next event. If the head trails
 * the events and an event between them is lost, the repair would take the number of the lost event, which
 * could then never be put back.
 */
export const mayRepair = ({ findings }: Report): boolean =>
  !findings.some(
    ({ kind, repair }) =>
      kind === 'head-missing' ||
      kind === 'import-unfinished' ||
      kind === 'head-form' ||
      kind === 'head-malformed' ||
      (kind === 'event-beyond' && repair === undefined),
  );

export const deferRepairs = (report: Report): Report =>
  mayRepair(report) ? report : { ...report, findings: report.findings.map(deferRepair) };

/** Finding without its repair, which has to wait until the head is repaired. */
export function deferRepair({ repair, ...finding }: Finding): Finding {
  return repair ? { ...finding, isDeferred: true } : finding;
}
