import * as v from 'valibot';
import { Address } from '../../../shared/contract/address.ts';
import { fieldNamed, foldedName } from '../../../shared/contract/field-names.ts';
import { readOnlyFields } from '../../../shared/contract/fields.ts';
import { Lead, LeadChanges } from '../../../shared/contract/leads.ts';
import { ImportedLead } from '../../../shared/domain/leads/imported-lead.ts';
import { AdminError } from '../admin-error.ts';

/** Parts of an address that a file has beside the suburb, which is a field of the lead. */
export const addressParts = v.keyof(v.omit(Address, ['suburb'])).options;
export const addressColumns = addressParts.map((part) => `address.${part}`);

/** Fields of a lead that a file can set: the fields that a client may write. */
const writable = Object.keys(LeadChanges.entries).flatMap((field) =>
  field === 'address' ? addressColumns : [field],
);
const readOnly = readOnlyFields(Lead, ImportedLead);

/**
 * The target of a column: a field of the lead, one of its profiles, or none. If nobody asked to leave the column out, the
 * `reason` says why a lead cannot have its values.
 */
export type Column =
  | { field: string }
  | { social: string }
  | { isLeftOut: true; reason?: 'readOnly' | 'noField' };

const leftOut = { isLeftOut: true } as const;

const byFoldedName = new Map<string, Column>([
  ...writable.map((field) => [foldedName(field), { field }] as const),
  ...readOnly.map((field) => [foldedName(field), { isLeftOut: true, reason: 'readOnly' }] as const),
]);

/** The target of a field's name or of `socials.NAME`; undefined for any other name. */
function columnNamed(name: string): Column | undefined {
  const [, social] = /^socials\.(.+)$/is.exec(name.trim()) ?? [];
  return social === undefined ? byFoldedName.get(foldedName(name)) : { social: social.trim() };
}

/** The target of a column with a usual name, such as `Mobile no.` or `Notes`. */
function columnNamedAlike(name: string): Column | undefined {
  const field = fieldNamed(name);
  return field === 'message' ? { isLeftOut: true, reason: 'noField' } : field && { field };
}

/** Number of columns in a header that need no `--map`. The right delimiter gives the most. */
export const countKnown = (header: readonly string[], map: ColumnMap): number =>
  header.filter((name) => columnNamed(name) ?? columnNamedAlike(name) ?? map.named.has(sameName(name)))
    .length;

/** The parsed `--map` options: targets by column name, and whether to leave out all other columns. */
export interface ColumnMap {
  named: ReadonlyMap<string, { as: string; column: Column }>;
  leavesOutOthers: boolean;
}

/** Column names compare without case, because a person types them again. */
const sameName = (name: string): string => name.trim().toLowerCase();

const fieldList = `${writable.join(', ')}, or socials.NAME for one profile`;

/** Parses `Column=field` pairs. @throws AdminError for a malformed pair, or a column that is named twice */
export function parseMap(pairs: readonly string[]): ColumnMap {
  const named = new Map<string, { as: string; column: Column }>();
  let leavesOutOthers = false;
  for (const pair of pairs) {
    const at = pair.lastIndexOf('=');
    const [as, field] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at === -1 || as === '') {
      throw new AdminError(`--map "${pair}" must be "Column=field", or "Column=" to leave the column out.`);
    }
    const column = field === '' ? leftOut : columnNamed(field);
    if (!column)
      throw new AdminError(
        `--map "${pair}": "${field}" is no field of a lead. Use one of these: ${fieldList}.`,
      );
    if (field === '' && as === '*') leavesOutOthers = true;
    else if (named.has(sameName(as))) throw new AdminError(`--map says twice what the column "${as}" is.`);
    else named.set(sameName(as), { as, column });
  }
  return { named, leavesOutOthers };
}

/**
 * Targets of a header's columns. `hasValues` is true if a column, counted from 0, has a value in any row.
 * @throws AdminError that names columns which are no field, or which set the same field
 */
export function columnsIn(
  header: readonly string[],
  map: ColumnMap,
  hasValues: (at: number) => boolean,
): Column[] {
  const names = new Set(header.map(sameName));
  const missing = [...map.named.values()].filter(({ as }) => !names.has(sameName(as)));
  if (missing.length > 0) {
    throw new AdminError(
      `--map names ${quoted(missing.map(({ as }) => as))}, which the file does not have. Its columns are ${quoted(header)}.`,
    );
  }
  const sure = header.map((name) => map.named.get(sameName(name))?.column ?? columnNamed(name));
  const set = new Set(sure.map(fieldOf));
  const columns = header.map((name, at) => {
    if (sure[at]) return sure[at];
    const alike = columnNamedAlike(name);
    if (alike && !map.leavesOutOthers) return alike;
    // A column with the name of the field, or of the map, is meant, and so is the first of several.
    const field = fieldOf(alike);
    if (alike && field !== undefined && !set.has(field)) {
      set.add(field);
      return alike;
    }
    return map.leavesOutOthers || (name.trim() === '' && !hasValues(at)) ? leftOut : undefined;
  });
  const unknown = header.filter((_, at) => !columns[at]);
  if (unknown.length > 0) throw new AdminError(whatToDo(header, unknown));
  return checked(
    header,
    columns.flatMap((column) => column ?? []),
  );
}

/** The field that a column sets, as a text; undefined if it sets none. */
function fieldOf(column: Column | undefined): string | undefined {
  if (!column || 'isLeftOut' in column) return undefined;
  return 'field' in column ? column.field : `socials.${column.social}`;
}

/** @throws AdminError if two columns set the same field, or none sets a name */
function checked(header: readonly string[], columns: Column[]): Column[] {
  const byField = new Map<string, string>();
  for (const [at, column] of columns.entries()) {
    const field = fieldOf(column);
    if (field === undefined) continue;
    const before = byField.get(field);
    const name = header[at] ?? '';
    if (before !== undefined) {
      const orMap = sameName(before) === sameName(name) ? '' : `, or with --map "${name.trim()}="`;
      throw new AdminError(
        `The columns ${quoted([before, name])} are both ${field}: leave one out in the file${orMap}.`,
      );
    }
    byField.set(field, name);
  }
  if (byField.has('name') || byField.has('firstName')) return columns;
  throw new AdminError(
    `No column is the name of a lead: say which one it is, such as --map "Contact=name". The columns are ${quoted(header)}.`,
  );
}

function whatToDo(header: readonly string[], unknown: readonly string[]): string {
  const [first = ''] = unknown.filter((name) => name.trim() !== '');
  if (first === '') return 'A column with values has no name: give it one in the first row of the file.';
  const columns =
    unknown.length === header.length
      ? `No column is a field of a lead: the first row must name the columns, and it has ${quoted(unknown)}.`
      : `No field of a lead: ${quoted(unknown)}.`;
  return (
    `${columns} Say what each is, by --map "${first}=FIELD", or leave it out: --map "${first}="; ` +
    `--map "*=" leaves out all that are no field. A field can be ${fieldList}.`
  );
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name.trim()}"`).join(', ');
