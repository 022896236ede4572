import * as v from 'valibot';
import { defineCommand, type CommandGroup } from '../command.ts';
import { openOrganization } from '../organization.ts';
import { counted } from '../output.ts';
import { organization, organizationOption } from '../values.ts';
import { exportLeads } from './export-leads.ts';
import { importJson, importLeads, importLines } from './import-leads.ts';
import { addressColumns } from './lead-columns.ts';
import { readLeadFile } from './lead-file.ts';

const importExample = 'leads import ~/leads.csv --local --organization 6H8EV880';
const exportExample = 'leads export ~/leads.csv --local --organization 6H8EV880';

const file = v.pipe(v.string(), v.minLength(1, 'must name a file'));

const importing = defineCommand({
  name: 'import',
  summary: 'Create a lead for each line of a CSV file',
  details:
    'The first row names the columns by the fields of the API, in any case, with or without spaces: name, firstName, ' +
    `lastName, email, phone, suburb, ${addressColumns.join(', ')}, businessName, status, externalId, socials, socials.NAME, ` +
    'isOptedOut, read. Usual names, such as Mobile, count, too. --map maps other columns. The file is text in UTF-8, with commas, semicolons or tabs.\n\nIf a lead has ' +
    'the email, the phone number or the externalId of a line already, the line is reported and left out. A line without these ' +
    'three is left out if it was imported before. But isOptedOut opts the number of a known lead out. A value that is not stored is ' +
    'printed with its line. So you can interrupt the import and run it again. Each refused line is ' +
    'printed with its number and the reason; if there is one, the exit code is 1.',
  arguments: [['<file>', 'the CSV file']],
  usage: 'FILE --organization CODE',
  isLong: true,
  options: [
    organizationOption,
    [
      '--map <column=field>',
      'what a column of the file is, such as "Company=businessName"; "Notes=" leaves it out, and "*=" all that are no field ' +
        '(may be repeated)',
      'repeated',
    ],
  ],
  values: v.object({ organization, file, map: v.optional(v.array(v.string()), []) }),
  examples: [
    importExample,
    'leads import "HubSpot contacts.csv" --stage prod --organization 6H8EV880 \\\n' +
      '      --map "Phone Number=phone" --map "Company name=businessName" --map "City=suburb" --map "*="',
  ],
  run: async ({ organization, file, map }, context) => {
    const lines = await readLeadFile(file, map);
    const opened = await openOrganization(organization, context);
    const report = await importLeads(lines, opened, context);
    return {
      lines: importLines(report),
      json: { organization: opened.code, ...importJson(report) },
      hasFindings: report.refused.length > 0 || report.stopped !== undefined,
    };
  },
});

const exporting = defineCommand({
  name: 'export',
  summary: 'Write every lead of an organization into a new CSV file',
  details:
    'The oldest lead is first. The file is text in UTF-8 with commas, as Excel reads it, and no other account of this computer may ' +
    "read it. A text that a spreadsheet would take for a formula gets a ' in front, which an import takes away again.",
  arguments: [['<file>', 'the CSV file, which must not be there yet']],
  usage: 'FILE --organization CODE',
  isLong: true,
  options: [organizationOption],
  values: v.object({ organization, file }),
  examples: [exportExample],
  run: async ({ organization, file }, context) => {
    const { code, title } = await openOrganization(organization, context);
    const written = await exportLeads(file, code, context);
    const what = written === 1 ? 'lead' : 'leads';
    return {
      lines: [`${counted(written)} ${what} of ${title} ${written === 1 ? 'is' : 'are'} in ${file} now.`],
      json: { organization: code, leads: written },
    };
  },
});

export const leadCommands: CommandGroup = {
  name: 'leads',
  description: 'Import leads from CSV files, and export them.',
  commands: [importing, exporting],
  examples: [importExample, exportExample],
};
