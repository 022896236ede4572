import type { Finding, Report } from './finding.ts';

/**
 * Whether a repair may write in an organization's ledger. It takes the number of the next event: where the head trails the
 * events with a gap between them, that is the number of a lost one, which could not be put back any more.
 */
export const isWritable = ({ findings }: Report): boolean =>
  !findings.some(
    ({ kind, mend }) =>
      kind === 'head-missing' ||
      kind === 'import-unfinished' ||
      kind === 'head-form' ||
      kind === 'head-malformed' ||
      (kind === 'event-beyond' && mend === undefined),
  );

/** A report whose mends wait where nothing may be written. */
export const withWaiting = (report: Report): Report =>
  isWritable(report) ? report : { ...report, findings: report.findings.map(waiting) };

/** A finding that is not repaired before the head is right. */
export function waiting({ mend, ...finding }: Finding): Finding {
  return mend ? { ...finding, waits: true } : finding;
}
