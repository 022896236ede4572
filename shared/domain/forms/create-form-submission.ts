import type { SentField, SentForm } from '../../contract/sent-form.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { fillInquiry, untilStored } from '../inquiries/fill-inquiry.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { externalIdOf, inquiries } from '../inquiries/inquiry-record.ts';
import { forms } from '../inquiries/sources.ts';
import { contactsNotOf, leadOf, senderReads, senderOf, type Sender } from '../leads/sender.ts';
import { isOfLead } from './fields-of-lead.ts';
import { isOfSending } from './fields-of-sending.ts';
import { withLaterFields } from './later-fields.ts';
import { isTrapped, laterSummary, takenForm, type TakenForm } from './taken-form.ts';

/** Settings of a form that is sent. */
export interface Submission {
  /** Map of the fields, as in the endpoint's query. */
  map?: string | undefined;
  /** Maximum number of forms that one key stores in a day, UTC. */
  maxPerDay: number;
  /** Id of the submission, in place of the form's own. */
  submissionId?: string;
}

/**
 * Stores a form as an inquiry, and finds or creates its lead, in one transaction. If the key has sent the same
 * `externalInquiryId` before, the form fills in what that inquiry lacks. Values that differ are kept beside the
 * inquiry's values. Stores nothing for a ping, or for a form that a robot has filled in.
 *
 * @throws Failure `invalid` for an empty form; `throttled` beyond `maxPerDay`; `unavailable` if the inquiry is erased
 * again and again meanwhile
 */
export async function createFormSubmission(
  ledger: Ledger,
  form: SentForm,
  { map, maxPerDay, submissionId }: Submission,
): Promise<{ isPing: boolean }> {
  if (isTrapped(form)) return { isPing: false };
  const taken = takenForm(form, map);
  if (taken.isPing) return { isPing: true };
  const sender = await senderOf(ledger, taken.sender, taken.phones);
  const { keyId } = form;
  const sent = { taken, sender, keyId, maxPerDay, externalId: submissionId ?? taken.externalId };
  await untilStored(() => store(ledger, sent));
  return { isPing: false };
}

interface Sent {
  taken: TakenForm;
  sender: Sender;
  keyId: number;
  maxPerDay: number;
  externalId: string | null;
}

/** @returns false if the inquiry with the form's id was erased after it was found */
function store(ledger: Ledger, sent: Sent): Promise<boolean> {
  const { taken, sender, keyId, maxPerDay, externalId } = sent;
  const { change, holders } = senderReads(sender);
  const giver = { keyId };
  const stored = externalId && { collection: inquiries, unique: externalIdOf(externalId, giver) };
  return ledger.write({ change, holders: { ...holders, ...(stored && { stored }) } }, async (write, read) => {
    if (read.stored !== undefined) return fill(ledger, write, read.stored, sent);
    write.countToday({ kind: 'FORM', name: String(keyId), max: maxPerDay });
    // The key is public: contacts given by it must not look like the lead's own.
    const lead = await leadOf(ledger, write, sender, { ...read, fillsContacts: false });
    const before = lead.before;
    addInquiry(write, lead, {
      source: 'WEBFORM',
      data: {
        formName: taken.formName,
        fields: taken.keptWithout((field) => isOfLead(before, field, sent)),
        submittedAt: write.now,
      },
      summary: taken.summary,
      externalId,
      giver,
      ...contactsNotOf(lead, sender),
    });
    return true;
  });
}

async function fill(ledger: Ledger, write: Write, inquiryId: string, sent: Sent): Promise<boolean> {
  const { taken, sender, keyId, maxPerDay } = sent;
  const outcome = await fillInquiry(ledger, write, inquiryId, {
    collection: forms,
    dataWith: (known, lead) => {
      const isKnown = (field: SentField) =>
        isOfSending(field) || (lead !== undefined && isOfLead(lead, field, sent));
      const fields = withLaterFields(known.fields, taken.keptWithout(isKnown));
      return { ...known, formName: known.formName || taken.formName, fields };
    },
    summaryAfter: (before) => laterSummary(before, taken),
    sender,
  });
  if (outcome === 'filled') write.countToday({ kind: 'FORM', name: String(keyId), max: maxPerDay });
  return outcome !== 'gone';
}
