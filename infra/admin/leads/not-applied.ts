import { parse } from '../../../shared/contract/parse.ts';
import type { Lead } from '../../../shared/contract/leads.ts';
import { foldCase } from '../../../shared/core/fold-case.ts';
import { ImportedLead } from '../../../shared/domain/leads/imported-lead.ts';
import { namesOf } from '../../../shared/domain/leads/lead-record.ts';
import { comparableNumber, toE164 } from '../../../shared/domain/phone/phone-number.ts';
import type { LineWithLead, NotApplied } from './lead-file.ts';

/** Values of a line that the stored lead has otherwise. `country` is the organization's. */
export async function notAppliedTo(
  lead: Lead,
  line: LineWithLead,
  country: () => Promise<string>,
): Promise<NotApplied[]> {
  const { name, firstName, lastName, phone, address, socials, ...input } = parse(ImportedLead, line.lead);
  const { isOptedOut, importKey, ...rest } = input;
  const given = flat({
    ...namesOf({ name, firstName, lastName }),
    ...rest,
    phone: phone && comparableNumber(await toE164(phone, await country())),
    address,
    socials,
  });
  const stored = flat({ ...lead, phone: comparableNumber(lead.phone) });
  const differing = [...given].flatMap(([field, value]) =>
    value === '' || value === stored.get(field)
      ? []
      : [{ field, message: `an import does not change ${lead.id}` }],
  );
  return [...differing, ...optOutNotApplied(lead, line)];
}

/** Texts by field, such as `address.line1`. An email has no case. */
const flat = (lead: object): Map<string, string> =>
  new Map(
    Object.entries(lead).flatMap(([field, value]: [string, unknown]): [string, string][] => {
      if (typeof value === 'object' && value !== null)
        return [...flat(value)].map(([part, text]) => [`${field}.${part}`, text]);
      if (typeof value !== 'string' && typeof value !== 'boolean') return [];
      return [[field, field === 'email' ? foldCase(String(value)) : String(value)]];
    }),
  );

/** The `isOptedOut` of a line, if the stored lead does not have it. */
export function optOutNotApplied(lead: Lead, { isOptedOut }: LineWithLead): NotApplied[] {
  if (isOptedOut === undefined || isOptedOut === lead.isOptedOut) return [];
  const message = isOptedOut
    ? 'the lead has no phone number'
    : 'the number has opted out, and only a text START from the number ends that';
  return [{ field: 'isOptedOut', message }];
}
