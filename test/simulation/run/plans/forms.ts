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

/** True if the lead has exactly the typed value, so the inquiry need not keep it. */
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

/** Summary of an inquiry: the start of its message. */
function summaryOf(message = ''): string {
  const characters = Array.from(message);
  return characters.length > 300 ? `${characters.slice(0, 300).join('')}…` : message;
}

/** Stores a form: the inquiry, and the lead, which is found or created. */
function store(change: Change, form: Form, sender: Sender, keyId: number): void {
  const { fields, control, origin, externalId } = form;
  change.countToday(`FORM#${keyId}`, maxFormsPerDay);
  const found =
    leadWith(change, 'email', sender.details['email']) ?? leadWith(change, 'phone', sender.number);
  const before = found === undefined ? undefined : change.get('LEAD', found);
  const number = leadOf(change, sender, { fillsContacts: false });
  const lead = change.get('LEAD', number)!;
  // The inquiry keeps a value that an existing lead gets; of a new lead, only values that the lead does not
  // have.
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

/** Number of attempts to send a form: a field of a form service that is no data of the sender. */
const attempt = 'meta.attempt';

/** Digest of a form's contents. It recognizes a form that is sent again. */
function digestOf({ fields }: Form): string {
  const said = fields.filter(({ name }) => name !== attempt).map((field) => [field.name, field.value]);
  const texts = said.map((pair) => JSON.stringify(pair)).sort();
  return hash('sha256', JSON.stringify([...texts, 0]), 'base64url').slice(0, 16);
}

/** Forms that services sent to each organization. */
const sent = new WeakMap<OrganizationModel, Form[]>();

/** A form: a new one, or one that a service sends again. */
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

/** Key of a form: usually the organization's first token for forms, sometimes a token for something else. */
function someKey({ draw, organization, tokens }: Planner): ClientToken {
  const own = tokens.filter((known) => known.organization === organization);
  const keys = own.filter(({ scopes }) => scopes.includes('forms:submit'));
  if (draw.happens(0.02)) return draw.pick(own);
  return draw.happens(0.7) ? keys[0]! : draw.pick(keys);
}

/** True if a key had reached its daily limit of forms at some time in the window. */
function isFull(window: Window, keyId: number): boolean {
  // Clocks of functions are off by less than a minute.
  return [-60_000, 60_000].some((off) => {
    const name = dayCountName(window.organization.code, `FORM#${keyId}`, window.since + off);
    return window.values(name).some((count) => count?.fields['times'] === maxFormsPerDay);
  });
}

/** Sends a form from a website, or through a form service. */
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
  // Only fields that services add themselves.
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
        throw new Violation('An accepted form must be stored', {
          expected: form,
          observed: 'no commit',
        });
      }
    },
  };
}

/** Checks the response to an accepted form. @throws Violation */
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
    throw new Violation('The response to an accepted form must be in the form that its sender asked for', {
      expected: { next: goesOn && next, isBrowsers, origin },
      observed: { status, headers, body },
    });
  }
}

export const plans: readonly WeightedPlan[] = [[createFormSubmission, 8]];
