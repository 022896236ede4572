import { stringify, type Options } from 'csv-stringify/sync';
import * as v from 'valibot';
import { Lead } from '../../../shared/contract/leads.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { leads, toLead } from '../../../shared/domain/leads/lead-record.ts';
import { AdminError } from '../admin-error.ts';
import type { CommandContext } from '../command.ts';
import { progressOf } from '../output.ts';
import { TableReads } from '../table/table-reads.ts';
import { cellOf } from './lead-cells.ts';
import { addressColumns, addressParts } from './lead-columns.ts';
import { writeNewFile } from '../new-files.ts';

const fields = v.keyof(Lead).options;
const columns = fields.flatMap((field) => (field === 'address' ? addressColumns : [field]));
/** Line breaks as Excel writes and reads them. */
const format = { record_delimiter: 'windows' } satisfies Options;

/**
 * Writes every lead of an organization into a new file, the oldest first. Each lead appears once, in a state
 * that it had during the export. Returns their number.
 * @throws AdminError if the file exists, or the export is interrupted; then no file is left
 */
export async function exportLeads(
  path: string,
  organization: OrganizationCode,
  context: CommandContext,
): Promise<number> {
  const { signal } = context;
  const showProgress = progressOf(context, 'leads');
  let written = 0;
  await writeNewFile(path, async (write) => {
    write(stringify([columns], { ...format, bom: true }));
    for await (const records of new TableReads(context).records(organization, leads)) {
      if (signal.aborted)
        throw new AdminError('The export was interrupted, so there is no file: run it again.');
      const rows = records.map((record) => rowOf(toLead(record)));
      write(stringify(rows, format));
      written += rows.length;
      showProgress(written);
    }
  });
  return written;
}

const rowOf = (lead: Lead): string[] =>
  fields.flatMap((field) =>
    field === 'address'
      ? addressParts.map((part) => cellOf(lead.address[part]))
      : [textIn(field, lead[field])],
  );

type OtherField = Exclude<keyof Lead, 'address'>;

function textIn(field: OtherField, value: Lead[OtherField]): string {
  if (value === null) return '';
  if (typeof value === 'object') return cellOf(profilesIn(value));
  // The plus of a phone number is no formula, and every other program needs the number unchanged.
  return field === 'phone' ? String(value) : cellOf(String(value));
}

/** Socials as JSON, ordered by name, because DynamoDB keeps no order. */
function profilesIn(socials: Lead['socials']): string {
  const names = Object.keys(socials).sort();
  return names.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(names.map((name) => [name, socials[name]])));
}
