import { hash } from 'node:crypto';
import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { dayCountName, maxFormsPerDay } from '../model/day-counts.ts';
import { invalid, Refused, tooManyToday } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type CompletedProgress, type Plan, type WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import type { ClientToken } from '../tokens.ts';
import { Violation } from '../violation.ts';
import { leadWith } from './conversations.ts';
import { addInquiry } from './inquiries.ts';
import { givenBeside, leadOf, readSender, type Sender } from './new-inquiries.ts';
import { anotherSite, callOf, someForm, type Field, type Form } from './sent-forms.ts';

/** Whether the lead has just what was typed, so that nothing need be kept of it. */
function isHad({ is, value, isValid }: Field, lead: Fields, { number }: Sender): boolean {
  if (!isValid) return false;
  switch (is) {
    case undefined:
    case 'message':
    case 'externalInquiryId':
      return false;
    case 'name':
      return value === `${String(lead['firstName'])} ${String(lead['lastName'])}`.trim();
    case 'phone':
      return number !== '' && number === lead['phone'];
    case 'firstName':
    case 'lastName':
    case 'email':
    case 'suburb':
    case 'businessName':
      return value === lead[is];
  }
}

/** The beginning of a message, as the inquiry's summary. */
function summaryOf(message = ''): string {
  const characters = Array.from(message);
  return characters.length > 300 ? `${characters.slice(0, 300).join('')}…` : message;
}

/** Stores a form: the inquiry, and its lead, which is found or made. */
function store(change: Change, form: Form, sender: Sender, keyId: number): void {
  const { fields, control, origin, externalId } = form;
  change.countToday(`FORM#${keyId}`, maxFormsPerDay);
  const found =
    leadWith(change, 'email', sender.details['email']) ?? leadWith(change, 'phone', sender.number);
  const before = found === undefined ? undefined : change.get('LEAD', found);
  const number = leadOf(change, sender, { fillsContacts: false });
  const lead = change.get('LEAD', number)!;
  // What a lead gets now stays in the inquiry, too; of a lead that is made, only what it does not have.
  const kept = fields.filter((field) => !isHad(field, before ?? lead, sender));
  const host = origin === undefined || origin === 'null' ? '' : new URL(origin).host;
  addInquiry(change, number, {
    source: 'WEBFORM',
    summary: summaryOf(fields.find(({ is }) => is === 'message')?.value),
    externalId,
    ...{ keyId, digest: digestOf(form) },
    data: {
      formName: control._form ?? host,
      fields: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
      submittedAt: change.now,
    },
    ...givenBeside(lead, sender),
  });
}

/** How often it was tried already to send a form: the one field of a service that does not say anything. */
const attempt = 'meta.attempt';

/** What a form says, by which one that is sent again is known. */
function digestOf({ fields }: Form): string {
  const said = fields.filter(({ name }) => name !== attempt).map((field) => [field.name, field.value]);
  const texts = said.map((pair) => JSON.stringify(pair)).sort();
  return hash('sha256', JSON.stringify([...texts, 0]), 'base64url').slice(0, 16);
}

/** The forms of services that an organization was sent. */
const sent = new WeakMap<OrganizationModel, Form[]>();

/** A form, or one of a service that is sent again. */
function someSending(planner: Planner): Form {
  const { draw, organization } = planner;
  const before = sent.get(organization) ?? [];
  if (before.length > 0 && draw.happens(0.2)) {
    const again = draw.pick(before);
    const field: Field = { is: undefined, name: attempt, value: String(draw.whole(2, 5)), isValid: true };
    return { ...again, fields: [...again.fields, field] };
  }
  const form = someForm(planner);
  if (form.externalId !== null && form.fields.length > 0) sent.set(organization, [...before, form]);
  return form;
}

/** What a form is sent with: mostly the organization's first token for forms, now and then one that is for something else. */
function someKey({ draw, organization, tokens }: Planner): ClientToken {
  const own = tokens.filter((known) => known.organization === organization);
  const keys = own.filter(({ scopes }) => scopes.includes('forms:submit'));
  if (draw.happens(0.02)) return draw.pick(own);
  return draw.happens(0.7) ? keys[0]! : draw.pick(keys);
}

/** Whether a key has had as many forms of a day as that may have, at some moment. */
function isFull(window: Window, keyId: number): boolean {
  // The clocks of functions are off by less than that.
  return [-60_000, 60_000].some((off) => {
    const name = dayCountName(window.organization.code, `FORM#${keyId}`, window.since + off);
    return window.values(name).some((count) => count?.fields['times'] === maxFormsPerDay);
  });
}

/** Somebody sends a form, or a provider what was filled in with it. */
export function createFormSubmission(planner: Planner): Plan {
  const { organization } = planner;
  const form = someSending(planner);
  const { fields, control, externalId } = form;
  const given = fields.filter(({ is, isValid }) => isValid && is !== 'message' && is !== 'externalInquiryId');
  const sender = readSender(
    Object.fromEntries(given.flatMap(({ is, value }) => (is === undefined ? [] : [[is, value]]))),
    organization.country,
  );
  const isSpam = control._hp !== undefined;
  // Nothing but what services write around it.
  const isPing =
    (form.origin === undefined || form.origin === 'null') &&
    fields.every(({ is, name }) => is === 'externalInquiryId' || name === attempt);
  const isEmpty = fields.length === 0 && !isSpam;
  const key = someKey(planner);
  const storedName = organization.uniqueName(
    'INQUIRY.externalInquiryIdOfKey',
    `${key.id}#${digestOf(form)}#${externalId ?? ''}`,
  );
  const empty = invalid({ field: '', message: 'Nothing is filled in' });
  return {
    operation: `createFormSubmission ${form.type}`,
    organization,
    token: key.token,
    call: callOf(isEmpty ? { ...form, isBrowsers: false } : form),
    stages: once((change) => {
      if (isSpam || isEmpty || isPing) throw new Refused(empty);
      if (externalId !== null && organization.history(storedName).last)
        throw new Refused({ status: 201, message: 'nothing changes' });
      store(change, form, sender, key.id);
    }),
    refusals: (window) => {
      if (isEmpty) return [empty];
      const refused = form.isBrowsers ? { status: tooManyToday.status } : tooManyToday;
      return !isSpam && !isPing && isFull(window, key.id) ? [refused] : [];
    },
    check: (body, window, progress) => {
      checkThanks(form, body, { ...progress, isPing: isPing && !isSpam });
      const isThere = externalId !== null && window.values(storedName).some((held) => held !== undefined);
      if (progress.made.length === 0 && !isSpam && !isPing && !isThere) {
        throw new Violation('A form that was taken must be stored', {
          expected: form,
          observed: 'no commit',
        });
      }
    },
  };
}

/** Checks what somebody is told whose form was taken. @throws Violation */
function checkThanks(
  { isBrowsers, control, origin }: Form,
  body: unknown,
  { status, headers, isPing }: CompletedProgress & { isPing: boolean },
): void {
  const message = isPing
    ? 'Received; there is nothing of a person in it, so nothing is stored'
    : 'Form submitted successfully';
  const isOnSite = origin !== undefined && origin !== 'null';
  const next = control._next === '/thanks' ? isOnSite && `${origin}/thanks` : control._next;
  const goesOn = isBrowsers && next && next !== anotherSite;
  const isRight = goesOn
    ? status === 303 && headers['Location'] === next
    : status === (isPing ? 200 : 201) &&
      (isBrowsers ? String(body).includes('<h1>Thank you</h1>') : same(body, { message }));
  if (!isRight || headers['Access-Control-Allow-Origin'] !== (isOnSite ? origin : undefined)) {
    throw new Violation('A form that was taken is answered as whoever has sent it can read', {
      expected: { next: goesOn && next, isBrowsers, origin },
      observed: { status, headers, body },
    });
  }
}

/** What is asked of this subject, and how often as a rule. */
export const plans: readonly WeightedPlan[] = [[createFormSubmission, 8]];
