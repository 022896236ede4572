import type { LeadBatchResult } from '../../../shared/contract/lead-batch.ts';
import { maxBatchItems } from '../../../shared/contract/batch.ts';
import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import { ImportedLead } from '../../../shared/domain/leads/imported-lead.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { messageOf } from '../aws-error.ts';
import type { Context } from '../command.ts';
import type { LeadLine } from './lead-in-row.ts';
import type { OpenedOrganization } from '../organization.ts';
import { Progress } from '../progress.ts';

type Place = Pick<LeadLine, 'line' | 'end' | 'number'>;

/** What became of the lines of a file. */
export interface ImportReport {
  /** How many lines there are. */
  total: number;
  created: (Place & { id: string })[];
  /** Lines of which a lead has the email, the phone number, or, where a line has neither, all that it gives. */
  alreadyThere: (Place & { id: string; field: string })[];
  refused: (Place & { message: string })[];
  /** Why the lines that are none of these were not looked at; undefined if there are none. */
  stopped?: string;
}

type Waiting = Extract<LeadLine, { lead: object }>;

/**
 * Creates the leads of a file, a batch after the other. Ends early where it is interrupted, or a batch gets nowhere: what is stored
 * then is there already when the file is imported again.
 */
export async function importLeads(
  lines: readonly LeadLine[],
  { ledger, renewLimits }: Pick<OpenedOrganization, 'ledger' | 'renewLimits'>,
  context: Pick<Context, 'progress' | 'system' | 'signal'>,
): Promise<ImportReport> {
  const report: ImportReport = {
    total: lines.length,
    created: [],
    alreadyThere: [],
    refused: lines.flatMap((line) => ('refusal' in line ? [refused(line, line.refusal)] : [])),
  };
  const progress = new Progress(context, 'lines', lines.length);
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
    const again = results.flatMap((result) => noted(report, batch[result.index], result));
    if (again.length === batch.length) return { ...report, stopped: reasonOf(cause) };
    waiting = [...again, ...waiting.slice(batch.length)];
    progress.note(lines.length - waiting.length);
  }
  return report;
}

/** Notes what became of a line. Returns it if it is to be tried again. */
function noted(report: ImportReport, waiting: Waiting | undefined, result: LeadBatchResult): Waiting[] {
  if (!waiting) return [];
  const place = placeOf(waiting);
  if (result.status === 'ok') report.created.push({ ...place, id: result.lead.id });
  else if (result.code === 'INTERNAL_ERROR') return [waiting];
  else if (result.code === 'CONFLICT') {
    const { existingId: id = '', message } = result;
    const [, field = ''] = /has this (\w+)/.exec(message) ?? [];
    report.alreadyThere.push({ ...place, id, field });
  } else report.refused.push(refused(waiting, result.message));
  return [];
}

const placeOf = ({ line, end, number }: Place): Place => ({ line, end, number });
const refused = (place: Place, message: string) => ({ ...placeOf(place), message });

/** Why nothing of a batch could be stored. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Failure ? (error.cause ?? 'others wrote all the time') : error;
  return `DynamoDB did not carry it out (${messageOf(reason)})`;
}
