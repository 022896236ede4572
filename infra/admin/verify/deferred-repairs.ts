import type { Finding, Report } from './finding.ts';

/**
 * Whether a repair may write in an organization's ledger. It takes the number of the next event: where the head trails the
 * events with a gap between them, that is the number of a lost one, which could not be put back any more.
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

/** A report whose repairs wait where nothing may be written. */
export const deferRepairs = (report: Report): Report =>
  mayRepair(report) ? report : { ...report, findings: report.findings.map(deferRepair) };

/** A finding that is not repaired before the head is right. */
export function deferRepair({ repair, ...finding }: Finding): Finding {
  return repair ? { ...finding, isDeferred: true } : finding;
}
