import type { LeadBatchResult } from '../../../shared/contract/lead-batch.ts';
import { maxBatchItems } from '../../../shared/contract/batch.ts';
import type { Lead } from '../../../shared/contract/leads.ts';
import { Failure } from '../../../shared/core/failure.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import { ImportedLead } from '../../../shared/domain/leads/imported-lead.ts';
import { findLeads } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { messageOf } from '../admin-error.ts';
import type { CommandContext } from '../command.ts';
import type { LeadLine, LineWithLead, NotApplied } from './lead-file.ts';
import { notAppliedTo, optOutNotApplied } from './not-applied.ts';
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
   * content was imported before. `isOptedOut` is true if the line has opted the lead's number out.
   */
  alreadyThere: (LinePosition & { id: string; field: string; isOptedOut: boolean })[];
  /** Values that were not stored, of lines that were created or were there already. */
  notApplied: (LinePosition & NotApplied)[];
  refused: (LinePosition & { message: string })[];
  /** Reason why the remaining lines were not tried; absent if there are none. */
  stopped?: string;
}

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
    notApplied: [],
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
    const known = knownLeads(ledger, results);
    const again: LineWithLead[] = [];
    for (const result of results) {
      const line = batch[result.index];
      if (!line) continue;
      try {
        if (result.status === 'error' && result.code === 'INTERNAL_ERROR') again.push(line);
        else await addResult(report, line, result, known);
      } catch (error) {
        cause = error;
        again.push(line);
      }
    }
    if (again.length === batch.length) return { ...report, stopped: reasonOf(cause) };
    waiting = [...again, ...waiting.slice(batch.length)];
    showProgress(lines.length - waiting.length);
  }
  return report;
}

interface KnownLeads {
  ledger: Ledger;
  /** The leads that have values of the batch, by id, without leads deleted meanwhile. Read once, when first needed. */
  read: () => Promise<ReadonlyMap<string, Lead>>;
}

function knownLeads(ledger: Ledger, results: readonly LeadBatchResult[]): KnownLeads {
  const ids = results.flatMap((result) => ('existingId' in result ? (result.existingId ?? []) : []));
  let reading: Promise<ReadonlyMap<string, Lead>> | undefined;
  return { ledger, read: () => (reading ??= findLeads(ledger, ids)) };
}

/** Adds a line's result to the report. Opts the number of a known lead out, if its line says so. */
async function addResult(
  report: ImportReport,
  line: LineWithLead,
  result: LeadBatchResult,
  { ledger, read }: KnownLeads,
): Promise<void> {
  const position = positionOf(line);
  const addNotApplied = (values: readonly NotApplied[]) =>
    report.notApplied.push(...[...line.notApplied, ...values].map((value) => ({ ...position, ...value })));
  if (result.status === 'ok') {
    report.created.push({ ...position, id: result.lead.id });
    addNotApplied(optOutNotApplied(result.lead, line));
  } else if (result.code === 'CONFLICT') {
    const { existingId: id = '', message } = result;
    const [, field = ''] = /has this (\w+)/.exec(message) ?? [];
    const before = (await read()).get(id);
    const optsOut = line.isOptedOut === true && before?.isOptedOut === false && before.phone !== '';
    const lead = optsOut ? await updateLead(ledger, id, { isOptedOut: true }) : before;
    const values = lead ? await notAppliedTo(lead, line, () => ledger.country()) : [];
    report.alreadyThere.push({ ...position, id, field, isOptedOut: optsOut });
    addNotApplied(values);
  } else report.refused.push({ ...position, message: result.message });
}

const positionOf = ({ line, end, number }: LinePosition): LinePosition => ({ line, end, number });
const refused = (line: LinePosition, message: string) => ({ ...positionOf(line), message });

function reasonOf(error: unknown): string {
  const reason = error instanceof Failure ? (error.cause ?? 'others wrote all the time') : error;
  return `DynamoDB did not carry it out (${messageOf(reason)})`;
}

/** The report for people. Lines that matter most are the last. */
export function importLines({
  total,
  created,
  alreadyThere,
  notApplied,
  refused,
  stopped,
}: ImportReport): string[] {
  const done = created.length + alreadyThere.length + refused.length;
  return [
    ...inOrder(alreadyThere).map(
      (line) =>
        `${nameOfLines(line)}: is there already: ${line.id} ${whyThere(line.field)}` +
        (line.isOptedOut ? '; its number is opted out now' : ''),
    ),
    ...inOrder(notApplied).map(
      (value) => `${nameOfLines(value)}: ${value.field} was not applied: ${value.message}`,
    ),
    ...inOrder(refused).map((line) => `${nameOfLines(line)}: ${line.message}`),
    ...(stopped === undefined
      ? []
      : [
          `${stopped} after ${counted(done)} of ${counted(total)} lines. Run it again: it goes on where it was.`,
        ]),
    `${leads(created.length)} created, ${counted(alreadyThere.length)} ${was(alreadyThere.length)} there already, ` +
      `${counted(refused.length)} ${refused.length === 1 ? 'line' : 'lines'} ${was(refused.length)} refused${notAppliedCount(notApplied.length)}.`,
  ];
}

const was = (count: number) => (count === 1 ? 'was' : 'were');
const notAppliedCount = (count: number) =>
  count === 0 ? '' : `, ${counted(count)} ${count === 1 ? 'value' : 'values'} ${was(count)} not applied`;
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
