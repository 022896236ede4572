import type { MappedName } from '../../contract/field-map.ts';
import { halvesOf } from '../../contract/halves-of.ts';
import type { Lead } from '../../contract/leads.ts';
import type { SentField } from '../../contract/sent-form.ts';
import { isNumberOf, type Sender } from '../leads/sender.ts';
import type { TakenForm } from './taken-form.ts';

/** Fields of a lead that a form can fill. */
export type ToldLead = Pick<Lead, 'firstName' | 'lastName' | 'email' | 'phone' | 'suburb' | 'businessName'>;

/** True if a lead has the value that was typed into a field. */
export const isOfLead = (
  lead: ToldLead,
  field: SentField,
  { taken: { known }, sender }: { taken: Pick<TakenForm, 'known'>; sender: Sender },
): boolean => known.get(field)?.some((name) => has(lead, name, field.value, sender)) ?? false;

function has(
  lead: ToldLead,
  name: MappedName,
  value: string,
  { given, number, isNumberAlone }: Sender,
): boolean {
  const typed = value.trim();
  switch (name) {
    case 'name': {
      const [first, last] = halvesOf(typed);
      return first === lead.firstName && last === lead.lastName;
    }
    case 'phone':
      return isNumberAlone && typed === given.phone && isNumberOf(lead, number);
    case 'message':
    case 'externalInquiryId':
      return false;
    case 'firstName':
    case 'lastName':
    case 'email':
    case 'suburb':
    case 'businessName':
      return typed === lead[name];
  }
}
