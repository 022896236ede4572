import { parseFieldMap, type MappedName } from '../../contract/field-map.ts';
import { sentences } from '../../contract/errors.ts';
import { halvesOf, type Lead } from '../../contract/leads.ts';
import type { SentField, SentForm } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';
import { invalid } from '../../core/failure.ts';
import { readable, readableLine } from '../../core/readable.ts';
import type { Ledger } from '../../ledger/index.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { externalIdOf, inquiries } from '../inquiries/inquiry-record.ts';
import { contactsNotOf, isNumberOf, leadOf, senderReads, senderOf, type Sender } from '../leads/sender.ts';
import { chooseFields, knownFields } from './choose-fields.ts';
import { controlOf, filledIn } from './controls.ts';
import { digestOfFields } from './digest-of-fields.ts';
import { keptFields } from './kept-fields.ts';
import { isPing } from './ping.ts';

/** Longest name of a form, and longest beginning of a message in a summary, in code points. */
const maxLengths = { formName: 200, summary: 300 } as const;

/**
 * Stores a form as an inquiry, and finds or creates its lead, in one transaction. Stores nothing for a ping,
 * for a form that a robot has filled in, or for a form that an inquiry by the same key has stored already
 * with the same `externalInquiryId` and the same fields.
 *
 * @param map as in the endpoint's query
 * @param maxPerDay number of forms by one key that are stored in a day, UTC
 * @throws Failure `invalid` for a form in which nothing is filled in; `throttled` beyond `maxPerDay`
 */
export async function submitForm(
  ledger: Ledger,
  form: SentForm,
  { map = '', maxPerDay }: { map?: string | undefined; maxPerDay: number },
): Promise<{ isPing: boolean }> {
  if (isTrapped(form)) return { isPing: false };
  const fields = filledIn(form);
  if (fields.length === 0 && form.unread === 0) throw invalid([{ field: '', message: sentences.emptyForm }]);
  const known = knownFields(fields, parseFieldMap(map));
  if (isPing(form, fields, known)) return { isPing: true };
  const { sender: given, phones, message, externalId } = chooseFields(known);
  const sender = await senderOf(ledger, given, phones);
  const { change, holders } = senderReads(sender);
  const ofKey = { keyId: form.keyId, digest: digestOfFields({ fields, unread: form.unread }) };
  const stored = externalId && { collection: inquiries, unique: externalIdOf(externalId, ofKey) };
  await ledger.write({ change, holders: { ...holders, ...(stored && { stored }) } }, async (write, read) => {
    if (read.stored !== undefined) return;
    write.countToday({ kind: 'FORM', name: String(form.keyId), max: maxPerDay });
    // The key is public: contacts given by it must not look like the lead's own.
    const lead = await leadOf(ledger, write, sender, { ...read, fillsContacts: false });
    const before = lead.before;
    const isKnown = (field: SentField) =>
      known.get(field)?.some((name) => has(before, name, field.value, sender)) ?? false;
    addInquiry(write, lead, {
      source: 'WEBFORM',
      data: {
        formName: formNameOf(form),
        fields: keptFields({ fields, unread: form.unread }, isKnown),
        submittedAt: write.now,
      },
      summary: summaryOf(message),
      externalId,
      ofKey,
      ...contactsNotOf(lead, sender),
    });
  });
  return { isPing: false };
}

/**
 * True if the hidden field is filled in, which people do not see. Scripts that send a checkbox as JSON send
 * `false` for an empty one.
 */
function isTrapped(form: SentForm): boolean {
  const trap = controlOf(form, '_hp') ?? '';
  return trap !== '' && trap !== 'false';
}

/** True if the lead, before this form, had the value that was typed into a field. */
function has(lead: Lead, name: MappedName, value: string, { given, number }: Sender): boolean {
  const typed = value.trim();
  switch (name) {
    case 'name': {
      const [first, last] = halvesOf(typed);
      return first === lead.firstName && last === lead.lastName;
    }
    case 'phone':
      return typed === given.phone && isNumberOf(lead, number);
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

function formNameOf(form: SentForm): string {
  const name = controlOf(form, '_form') ?? (form.site === undefined ? '' : new URL(form.site).host);
  return readableLine(name, maxLengths.formName);
}

function summaryOf(message: string): string {
  const all = readable(message).trim();
  const beginning = cutText(all, maxLengths.summary);
  return beginning === all ? all : `${beginning}…`;
}
