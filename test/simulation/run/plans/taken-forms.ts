import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import { maxFormsPerDay } from '../model/rules.ts';
import type { Window } from '../model/window.ts';
import { nothingChanges } from '../plan.ts';
import { only, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { leadWith } from './conversations.ts';
import { addInquiry } from './inquiries.ts';
import { fillInquiry } from './later-reports.ts';
import { givenBeside, leadOf, readSender, type Sender } from './new-inquiries.ts';

/** A form, and the key that it came with. */
export interface TakenForm {
  /** All its fields by name; those of a lead have its names. */
  fields: Readonly<Record<string, string>>;
  /** Names of the fields that a lead cannot take, since their values are invalid. */
  invalid: readonly string[];
  /** Names of the fields that tell of the sending, and not of what was filled in. */
  ofSending: readonly string[];
  formName: string;
  externalId: string | null;
  keyId: number;
}

/** Fields of a form that a lead can have. */
const ofLead = ['firstName', 'lastName', 'email', 'phone', 'suburb'];

/** Sender of a form, of which the lead takes what is valid. */
function senderIn({ fields, invalid }: Pick<TakenForm, 'fields' | 'invalid'>, country: string): Sender {
  const names = ofLead.filter((name) => name in fields && !invalid.includes(name));
  return readSender(only(fields, ...names), country);
}

/** Name of the item that holds the id of a form; undefined without an id. */
const idItemOf = (organization: OrganizationModel, { externalId, keyId }: TakenForm): string | undefined =>
  externalId === null
    ? undefined
    : organization.uniqueName('INQUIRY.externalInquiryIdOfKey', `${keyId}#${externalId}`);

/** True if a lead has the value of a field. */
const isOf = (
  lead: Fields,
  { invalid }: TakenForm,
  sender: Sender,
  [name, value]: [string, string],
): boolean => {
  if (!ofLead.includes(name) || invalid.includes(name)) return false;
  const known = name === 'phone' ? sender.number : value;
  return known !== '' && known === lead[name];
};

/**
 * Stores a form: a new inquiry with its lead, which is found or created; or what the inquiry with its id lacks. @throws
 * Refused
 */
export function storeForm(change: Change, form: TakenForm): void {
  const { organization } = change;
  const { fields, formName, externalId, keyId } = form;
  const sender = senderIn(form, organization.country);
  const idItem = idItemOf(organization, form);
  const held = idItem === undefined ? undefined : organization.history(idItem).last;
  const summary = fields['message'] ?? '';
  if (held) {
    const isFilled = fillInquiry(change, organization.numberOf('INQUIRY', held.fields['id']), {
      dataWith: (known, lead) => {
        const told = Object.entries(fields).filter(
          ([name, value]) =>
            !form.ofSending.includes(name) && !(lead && isOf(lead, form, sender, [name, value])),
        );
        return {
          ...known,
          formName: known['formName'] !== '' ? known['formName'] : formName,
          fields: withLater(known['fields'] as Record<string, string>, told),
        };
      },
      summary,
      sender,
    });
    if (!isFilled) throw new Refused(nothingChanges);
    change.countToday(`FORM#${keyId}`, maxFormsPerDay);
    return;
  }
  change.countToday(`FORM#${keyId}`, maxFormsPerDay);
  const found =
    leadWith(change, 'email', sender.details['email']) ?? leadWith(change, 'phone', sender.number);
  const before = found === undefined ? undefined : change.get('LEAD', found);
  const number = leadOf(change, sender, { fillsContacts: false });
  const lead = change.get('LEAD', number)!;
  // The inquiry keeps a value that an existing lead gets; of a new lead, only values that the lead does not
  // have.
  const kept = Object.entries(fields).filter((field) => !isOf(before ?? lead, form, sender, field));
  addInquiry(change, number, {
    ...{ source: 'WEBFORM', summary, externalId, keyId },
    data: { formName, fields: Object.fromEntries(kept), submittedAt: change.now },
    ...givenBeside(lead, sender),
  });
}

/** Name of a field's n-th value. */
const placeOf = (name: string, at: number) => (at === 1 ? name : `${name} (${at})`);

/** Fields with those of a later form: what differs is kept beside what is there. */
function withLater(
  known: Readonly<Record<string, string>>,
  later: readonly (readonly [string, string])[],
): Record<string, string> {
  const fields = { ...known };
  for (const [name, value] of later) {
    let at = 1;
    while ((fields[placeOf(name, at)] ?? value) !== value) at++;
    fields[placeOf(name, at)] = value;
  }
  return fields;
}

/**
 * Checks that a form that stored nothing had nothing new at some time in the window: each of its values was in the inquiry
 * with its id, or in that inquiry's lead. @throws Violation
 */
export function checkKnown(window: Window, form: TakenForm): void {
  const { organization } = window;
  const idItem = idItemOf(organization, form);
  const inquiries = (idItem === undefined ? [] : window.values(idItem)).flatMap((held) =>
    held ? window.present('INQUIRY', organization.numberOf('INQUIRY', held.fields['id'])) : [],
  );
  const sender = senderIn(form, organization.country);
  const told = Object.entries(form.fields).filter(([name]) => !form.ofSending.includes(name));
  const isKnown = inquiries.some((inquiry) =>
    told.every((field) => {
      const [name, value] = field;
      const leads = window.present('LEAD', organization.numberOf('LEAD', inquiry['leadId']));
      const data = window.present('WEBFORM', organization.numberOf('WEBFORM', inquiry['sourceId']));
      const isKept = data.some(({ fields }) =>
        Object.entries(fields as Record<string, string>).some(
          ([place, kept]) => (place === name || place.startsWith(`${name} (`)) && kept === value,
        ),
      );
      return isKept || leads.some((lead) => isOf(lead, form, sender, field));
    }),
  );
  if (!isKnown) throw new Violation('An accepted form must be stored', form, inquiries);
}
