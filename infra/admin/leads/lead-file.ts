import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { recordId } from '../../../shared/contract/fields.ts';
import { notNamed } from '../../../shared/contract/leads.ts';
import { canonicalText } from '../../../shared/core/canonical-text.ts';
import { AdminError } from '../admin-error.ts';
import { readCsvText, rowsIn, type Row } from './csv-file.ts';
import { textOf } from './lead-cells.ts';
import { columnsIn, countKnown, parseMap, type Column, type ColumnMap } from './lead-columns.ts';

/** Delimiters among which the header decides. */
const delimiters = [',', ';', '\t'] as const;

/** A first line that names the delimiter for Excel, as some programs write. */
const delimiterLine = /^"?sep=([^"\w\r\n])"?(?:\r\n|\r|\n|$)/i;

/** Maximum number of rows that are looked at to find the delimiter. */
const maxLooked = 50;

/**
 * Reads the leads of a CSV file, not validated yet; `pairs` are `Column=field`. @throws AdminError if the
 * file, its header or a pair is wrong
 */
export async function readLeadFile(path: string, pairs: readonly string[]): Promise<LeadLine[]> {
  const map = parseMap(pairs);
  const text = await readCsvText(path);
  const [header, ...rows] = rowsOf(text, map);
  if (!header) throw new AdminError(`${path} is empty: its first row must name the columns.`);
  const hasValues = (at: number) => rows.some(({ cells }) => (cells[at] ?? '').trim() !== '');
  const columns = columnsIn(header.cells, map, hasValues);
  const idAt = header.cells.findIndex((name) => name.trim().toLowerCase() === 'id');
  return leadsIn(rows, { names: header.cells, columns, idAt });
}

/** Rows with the header first. The first line names the delimiter, or the header shows it. */
function rowsOf(text: string, map: ColumnMap): Row[] {
  const [first, delimiter] = delimiterLine.exec(text) ?? [];
  if (first === undefined || delimiter === undefined) return rowsIn(text, delimiterOf(text, map));
  // The delimiter line is a line of the file, and no row of the spreadsheet.
  return rowsIn(text.slice(first.length), delimiter, { firstLine: 2 });
}

/**
 * The delimiter that gives the most rows as many cells as the header has. Names and texts may have commas. If two are
 * equal, the delimiter that gives the header the most known columns, or the most columns.
 */
function delimiterOf(text: string, map: ColumnMap): string {
  const [best = ','] = delimiters
    .map((delimiter) => {
      const [header = [], ...rows] = cellsBy(text, delimiter);
      const all = header.length;
      const even = all === 1 ? 0 : rows.filter((cells) => cells.length === all).length;
      return { delimiter, even, known: countKnown(header, map), all };
    })
    .toSorted((one, other) => other.even - one.even || other.known - one.known || other.all - one.all)
    .map(({ delimiter }) => delimiter);
  return best;
}

function cellsBy(text: string, delimiter: string): (readonly string[])[] {
  try {
    return rowsIn(text, delimiter, { max: maxLooked }).map(({ cells }) => cells);
  } catch (error) {
    // With a wrong delimiter a quote may seem unclosed. With the right delimiter an unclosed quote is
    // reported.
    if (error instanceof AdminError) return [];
    throw error;
  }
}

/** Value of a line that the import does not store, and the reason. */
export interface NotApplied {
  /** Column of the file, or field of the lead. */
  field: string;
  message: string;
}

/**
 * A line of a file with its lead, not validated yet, or with the reason why it has none. `isOptedOut` is the cell: the
 * lead has it only if the number of the line can be opted out.
 */
export type LeadLine = Pick<Row, 'line' | 'end' | 'number'> &
  ({ lead: LeadValues; isOptedOut: boolean | undefined; notApplied: NotApplied[] } | { refusal: string });

export type LineWithLead = Extract<LeadLine, { lead: object }>;

/** Texts that Excel writes into a cell if its formula failed. */
const excelError = /^#(?:REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|SPILL!|CALC!)$/i;

/** Values by the API's field names. `importKey` is there if no other value identifies the line. */
type LeadValues = Record<string, string | boolean | Record<string, string>>;

/** The reason why a row gives no lead, for the owner of the file. */
class Refusal extends Error {}

const Socials = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** Words for true and false, also as a German spreadsheet writes them. */
const booleans: Record<string, boolean> = {
  true: true,
  yes: true,
  '1': true,
  wahr: true,
  false: false,
  no: false,
  '0': false,
  falsch: false,
};

/** Columns of a file, with their names in the header. `idAt` is the column of an exported lead's id, or -1. */
interface Columns {
  names: readonly string[];
  columns: readonly Column[];
  idAt: number;
}

function leadsIn(rows: readonly Row[], { names, columns, idAt }: Columns): LeadLine[] {
  const keys = new ImportKeys();
  return rows.map((row) => {
    const { line, end, number } = row;
    try {
      const { isOptedOut, ...lead } = valuesIn(row, columns);
      // An opt-out needs a phone number, and false opts nobody in.
      if (isOptedOut === true && 'phone' in lead) lead['isOptedOut'] = true;
      // An exported lead may have no name, if an inquiry created it.
      const isExported = v.is(recordId('lead'), row.cells[idAt]);
      if (!isExported && !('name' in lead) && !('firstName' in lead))
        throw new Refusal(`firstName ${notNamed}`);
      const notApplied = columns.flatMap((column, at): NotApplied[] => {
        const reason = 'isLeftOut' in column ? column.reason : undefined;
        const isSaid = reason === 'noField' || (reason === 'readOnly' && !isExported);
        if (!isSaid || (row.cells[at] ?? '').trim() === '') return [];
        return [{ field: (names[at] ?? '').trim(), message: whyNot[reason] }];
      });
      return {
        line,
        end,
        number,
        lead: keys.added(lead),
        isOptedOut: typeof isOptedOut === 'boolean' ? isOptedOut : undefined,
        notApplied,
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { line, end, number, refusal: error.message };
    }
  });
}

const whyNot = {
  noField: 'a lead has no such field',
  readOnly: 'the service sets this field',
} satisfies Record<string, string>;

function valuesIn({ line, end, cells, isTorn }: Row, columns: readonly Column[]): LeadValues {
  if (isTorn) {
    throw new Refusal(
      `a cell begins with a quote that is not closed, so the cell swallowed lines ${line} to ${end}: write a quote twice if ` +
        'it is part of the text',
    );
  }
  // A spreadsheet leaves empty cells on the right of a row where a column was deleted.
  if (cells.length < columns.length || cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
    const has = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
    throw new Refusal(`${has}, where the header has ${columns.length}`);
  }
  const lead: LeadValues = {};
  const socials: Record<string, string> = {};
  const address: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const text = textOf((cells[at] ?? '').trim());
    if (text === '' || 'isLeftOut' in column) continue;
    const field = 'social' in column ? `socials.${column.social}` : column.field;
    if (excelError.test(text)) {
      throw new Refusal(
        `${field} is ${text}, which a spreadsheet writes where a formula has failed: write the value`,
      );
    }
    if ('social' in column) socials[column.social] = text;
    else if (field.startsWith('address.')) address[field.slice('address.'.length)] = text;
    else lead[field] = valueOf(field, text);
  }
  if (Object.keys(address).length > 0) lead['address'] = address;
  const { socials: whole } = lead;
  if (Object.keys(socials).length > 0)
    lead['socials'] = { ...(typeof whole === 'object' ? whole : {}), ...socials };
  return lead;
}

function valueOf(field: string, text: string): LeadValues[string] {
  if (field === 'status') return text.toLowerCase();
  if (field === 'read' || field === 'isOptedOut') {
    const value = booleans[text.toLowerCase()];
    if (value === undefined) throw new Refusal(`${field} must be true or false`);
    return value;
  }
  if (field !== 'socials') return text;
  const { success, output } = v.safeParse(Socials, text);
  if (success) return output;
  throw new Refusal('socials must be JSON such as {"instagram":"@annlee"}');
}

/**
 * Keys of lines that have no email, phone number or `externalId`: a digest of the line's content and of the
 * number of equal lines above. So a line is stored once, however often the file is imported, and equal lines
 * become as many leads.
 */
class ImportKeys {
  readonly #equal = new Map<string, number>();

  added(lead: LeadValues): LeadValues {
    if ('email' in lead || 'phone' in lead || 'externalId' in lead) return lead;
    const text = canonicalText(lead);
    const before = this.#equal.get(text) ?? 0;
    this.#equal.set(text, before + 1);
    const importKey = createHash('sha256').update(`${before} ${text}`).digest('base64url');
    return { ...lead, importKey };
  }
}
