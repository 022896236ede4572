import type { LeadBatchResult } from '../../../shared/contract/lead-batch.ts';
import { maxBatchItems } from '../../../shared/contract/batch.ts';
import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import { ImportedLead } from '../../../shared/domain/leads/imported-lead.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { messageOf } from '../admin-error.ts';
import type { CommandContext } from '../command.ts';
import type { LeadLine } from './lead-file.ts';
import type { OpenedOrganization } from '../organization.ts';
import { counted, progressOf } from '../output.ts';

type LinePosition = Pick<LeadLine, 'line' | 'end' | 'number'>;

/** Results of importing a file, by line. */
export interface ImportReport {
  /** Number of lines in the file. */
  total: number;
  created: (LinePosition & { id: string })[];
  /**
   * Lines with the email or phone number of an existing lead. A line with neither is here if its whole
   * content was imported before.
   */
  alreadyThere: (LinePosition & { id: string; field: string })[];
  refused: (LinePosition & { message: string })[];
  /** Reason why the remaining lines were not tried; absent if there are none. */
  stopped?: string;
}

type Waiting = Extract<LeadLine, { lead: object }>;

/**
 * Creates the leads of a file, batch by batch. Stops early when interrupted, or when nothing of a batch can
 * be stored. A second import of the file finds the stored leads and skips them.
 */
export async function importLeads(
  lines: readonly LeadLine[],
  { ledger, renewLimits }: Pick<OpenedOrganization, 'ledger' | 'renewLimits'>,
  context: Pick<CommandContext, 'progress' | 'system' | 'signal'>,
): Promise<ImportReport> {
  const report: ImportReport = {
    total: lines.length,
    created: [],
    alreadyThere: [],
    refused: lines.flatMap((line) => ('refusal' in line ? [refused(line, line.refusal)] : [])),
  };
  const showProgress = progressOf(context, 'lines', lines.length);
  let waiting = lines.flatMap((line) => ('lead' in line ? [line] : []));
  while (waiting.length > 0) {
    if (context.signal.aborted) return { ...report, stopped: 'It was interrupted' };
    renewLimits();
    const batch = waiting.slice(0, maxBatchItems);
    let cause: unknown;
    const results = await createLeads(
      ledger,
      batch.map(({ lead }) => lead),
      (error) => (cause = error),
      ImportedLead,
    );
    const again = results.flatMap((result) => addResult(report, batch[result.index], result));
    if (again.length === batch.length) return { ...report, stopped: reasonOf(cause) };
    waiting = [...again, ...waiting.slice(batch.length)];
    showProgress(lines.length - waiting.length);
  }
  return report;
}

/** Adds a line's result to the report. Returns the line if it must be tried again. */
function addResult(report: ImportReport, waiting: Waiting | undefined, result: LeadBatchResult): Waiting[] {
  if (!waiting) return [];
  const position = positionOf(waiting);
  if (result.status === 'ok') report.created.push({ ...position, id: result.lead.id });
  else if (result.code === 'INTERNAL_ERROR') return [waiting];
  else if (result.code === 'CONFLICT') {
    const { existingId: id = '', message } = result;
    const [, field = ''] = /has this (\w+)/.exec(message) ?? [];
    report.alreadyThere.push({ ...position, id, field });
  } else report.refused.push(refused(waiting, result.message));
  return [];
}

const positionOf = ({ line, end, number }: LinePosition): LinePosition => ({ line, end, number });
const refused = (line: LinePosition, message: string) => ({ ...positionOf(line), message });

function reasonOf(error: unknown): string {
  const reason = error instanceof Failure ? (error.cause ?? 'others wrote all the time') : error;
  return `DynamoDB did not carry it out (${messageOf(reason)})`;
}

/** The report for people. Leads that were there already come first, because they matter least. */
export function importLines({ total, created, alreadyThere, refused, stopped }: ImportReport): string[] {
  const done = created.length + alreadyThere.length + refused.length;
  return [
    ...inOrder(alreadyThere).map(
      (line) => `${nameOfLines(line)}: is there already: ${line.id} ${whyThere(line.field)}`,
    ),
    ...inOrder(refused).map((line) => `${nameOfLines(line)}: ${line.message}`),
    ...(stopped === undefined
      ? []
      : [
          `${stopped} after ${counted(done)} of ${counted(total)} lines. Run it again: it goes on where it was.`,
        ]),
    `${leads(created.length)} created, ${counted(alreadyThere.length)} ${was(alreadyThere.length)} there already, ` +
      `${counted(refused.length)} ${refused.length === 1 ? 'line' : 'lines'} ${was(refused.length)} refused.`,
  ];
}

const was = (count: number) => (count === 1 ? 'was' : 'were');
const leads = (count: number) => `${counted(count)} ${count === 1 ? 'lead' : 'leads'} ${was(count)}`;

const inOrder = <P extends LinePosition>(lines: readonly P[]): P[] =>
  lines.toSorted((one, other) => one.line - other.line);

/** Name of a line in the file, with its row in a spreadsheet if that differs. */
const nameOfLines = ({ line, end, number }: LinePosition) =>
  (end === line ? `line ${line}` : `lines ${line} to ${end}`) +
  (line === number ? '' : ` (row ${number} of the spreadsheet)`);

const whyThere = (field: string) => (field === 'importKey' ? 'has all of it' : `has this ${field}`);

/** The report for scripts. */
export const importJson = ({ stopped, ...report }: ImportReport) => ({
  ...report,
  refused: inOrder(report.refused),
  stopped: stopped ?? null,
});
