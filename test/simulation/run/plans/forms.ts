import { hash } from 'node:crypto';
import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused, tooManyToday } from '../model/refusal.ts';
import { dayCountName, maxFormsPerDay } from '../model/rules.ts';
import type { Window } from '../model/window.ts';
import { nothingChanges, once, type HttpCall, type Plan, type WeightedPlan } from '../plan.ts';
import { inSomeCase, someUniqueWord, type ClientToken, type Planner } from '../planner.ts';
import { only, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { someEmail, someFirstName, someLastName, somePhone } from './contacts.ts';
import { leadWith } from './conversations.ts';
import { addInquiry } from './inquiries.ts';
import { givenBeside, leadOf, readSender, type Sender } from './new-inquiries.ts';

/** Websites with forms. Every token for forms is for the first one. */
export const formSites = ['https://a.example', 'https://b.example:8443'] as const;
const anotherSite = 'https://c.example';

/** A form as it is sent: by a website in the body of a form, or by a form service as JSON, again and again. */
interface Form {
  /** Fields by name; those of a lead have its names. */
  fields: Record<string, string>;
  /** Names of the fields that a lead cannot take, since their values are invalid. */
  invalid: readonly string[];
  origin: string | undefined;
  /** Id of the form service; null for a website. */
  externalId: string | null;
}

function someForm(planner: Planner): Form {
  const { draw, variety } = planner;
  const isOfService = draw.happens(0.3);
  const isWrong = draw.happens(0.1);
  const lastName = someLastName(planner);
  return {
    fields: {
      ...(draw.happens(0.6) && { firstName: someFirstName(planner), ...(lastName && { lastName }) }),
      ...(draw.happens(0.5) && { email: isWrong ? 'ann at example' : someEmail(planner) }),
      ...(draw.happens(0.5) && { phone: draw.happens(0.1) ? 'ask my neighbour' : somePhone(planner) }),
      ...(draw.happens(0.2) && { suburb: 'Newtown' }),
      ...(draw.happens(0.3) && { colour: 'red' }),
      message: `No hot water,\nsince ${someUniqueWord(planner)}`,
    },
    invalid: isWrong ? ['email'] : [],
    origin: draw.weighted<string | undefined>([
      [undefined, 3],
      ['null', 1],
      [formSites[0], 4],
      [formSites[1], 2],
      [anotherSite, 1],
    ]),
    externalId: isOfService ? inSomeCase(planner, `form-${draw.whole(1, 4 * variety)}`) : null,
  };
}

/** Number of attempts to send a form: a field of a form service that is no data of the sender. */
const attempt = 'meta.attempt';
/** Field of a form service with its own id. */
const idField = 'meta.id';

function callOf({ fields, origin, externalId }: Form): HttpCall {
  const { [attempt]: times, ...given } = fields;
  const [type, body] =
    externalId === null
      ? ['application/x-www-form-urlencoded', new URLSearchParams(fields).toString()]
      : ['application/json', JSON.stringify({ ...given, meta: { id: externalId, attempt: times } })];
  return {
    endpoint: 'createFormSubmission',
    query: externalId === null ? {} : { map: `externalInquiryId:${idField}` },
    body,
    headers: {
      ...{ 'Content-Type': type, Accept: '*/*' },
      ...(origin !== undefined && { Origin: origin }),
    },
  };
}

/** Fields of a form that a lead can have. */
const ofLead = ['firstName', 'lastName', 'email', 'phone', 'suburb'];

/** Stores a form: the inquiry, and the lead, which is found or created. */
function store(change: Change, form: Form, sender: Sender, keyId: number): void {
  const { fields, origin, externalId, invalid } = form;
  change.countToday(`FORM#${keyId}`, maxFormsPerDay);
  const found =
    leadWith(change, 'email', sender.details['email']) ?? leadWith(change, 'phone', sender.number);
  const before = found === undefined ? undefined : change.get('LEAD', found);
  const number = leadOf(change, sender, { fillsContacts: false });
  const lead = change.get('LEAD', number)!;
  // The inquiry keeps a value that an existing lead gets; of a new lead, only values that the lead does not
  // have.
  const isHad = ([name, value]: [string, string]) => {
    if (!ofLead.includes(name) || invalid.includes(name)) return false;
    const known = name === 'phone' ? sender.number : value;
    return known !== '' && known === (before ?? lead)[name];
  };
  const all: [string, string][] = [
    ...Object.entries(fields),
    ...(externalId === null ? [] : [[idField, externalId] as [string, string]]),
  ];
  const host = origin === undefined || origin === 'null' ? '' : new URL(origin).host;
  addInquiry(change, number, {
    ...{ source: 'WEBFORM', summary: fields['message'], externalId, keyId, digest: digestOf(form) },
    data: {
      formName: host,
      fields: Object.fromEntries(all.filter((field) => !isHad(field))),
      submittedAt: change.now,
    },
    ...givenBeside(lead, sender),
  });
}

/** Digest of a form's contents. It recognizes a form that is sent again. */
function digestOf({ fields, externalId }: Form): string {
  const all = { ...fields, ...(externalId !== null && { [idField]: externalId }) };
  const said = Object.entries(all).filter(([name]) => name !== attempt);
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
    return { ...again, fields: { ...again.fields, [attempt]: String(draw.whole(2, 5)) } };
  }
  const form = someForm(planner);
  if (form.externalId !== null) sent.set(organization, [...before, form]);
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
  const { fields, externalId, invalid, origin } = form;
  const names = ofLead.filter((name) => name in fields && !invalid.includes(name));
  const sender = readSender(only(fields, ...names), organization.country);
  const key = someKey(planner);
  const storedName = organization.uniqueName(
    'INQUIRY.externalInquiryIdOfKey',
    `${key.id}#${digestOf(form)}#${externalId ?? ''}`,
  );
  return {
    operation: `createFormSubmission ${externalId === null ? 'urlencoded' : 'json'}`,
    organization,
    token: key.token,
    call: callOf(form),
    stages: once((change) => {
      if (externalId !== null && organization.history(storedName).last) throw new Refused(nothingChanges);
      store(change, form, sender, key.id);
    }),
    refusals: (window) => (isFull(window, key.id) ? [tooManyToday] : []),
    check: (body, window, { made, status, headers }) => {
      const allowed = origin === 'null' ? undefined : origin;
      checkOneOf(
        'The response to an accepted form must thank, and allow its site to read it',
        [{ status: 201, body: { message: 'Form submitted successfully' }, allowed }],
        { status, body, allowed: headers['Access-Control-Allow-Origin'] } satisfies Fields,
      );
      const isThere = externalId !== null && window.values(storedName).some((held) => held !== undefined);
      if (made.length === 0 && !isThere) {
        throw new Violation('An accepted form must be stored', form, 'no commit');
      }
    },
  };
}

export const plans: readonly WeightedPlan[] = [[createFormSubmission, 8]];
