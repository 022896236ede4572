import type { FormPreview } from '../../contract/form-preview.ts';
import type { SentForm } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';
import type { Ledger } from '../../ledger/index.ts';
import { filledIn } from './controls.ts';
import { namesOf } from '../leads/lead-record.ts';
import { senderOf } from '../leads/sender.ts';
import { isOfLead } from './fields-of-lead.ts';
import { isTrapped, takenForm } from './taken-form.ts';

const max = { fields: 200, value: 500 } as const;

/** A form as `createFormSubmission` would take it. @throws Failure `invalid` for an empty form */
export async function previewForm(ledger: Ledger, form: SentForm, map?: string): Promise<FormPreview> {
  const taken = takenForm(form, map);
  const sender = await senderOf(ledger, taken.sender, taken.phones);
  const { given, number: phone } = sender;
  const { email = '', suburb = '', businessName = '' } = given;
  const lead = { ...namesOf(given), email, phone, suburb, businessName };
  return {
    isStored: !taken.isPing && !isTrapped(form),
    lead: Object.fromEntries(Object.entries(lead).filter(([, text]) => text !== '')),
    inquiry: {
      formName: taken.formName,
      summary: taken.summary,
      externalInquiryId: taken.externalId,
      fields: taken.keptWithout((field) => isOfLead(lead, field, { taken, sender })),
    },
    // With fields inside of JSON, which a map can name, too.
    sent: [...new Set([...filledIn(form), ...taken.known.keys()])].slice(0, max.fields).map((field) => ({
      name: field.name,
      value: cutText(field.value, max.value),
      takenFor: [...(taken.known.get(field) ?? [])],
    })),
  };
}
