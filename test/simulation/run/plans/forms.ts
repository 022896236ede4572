import type { OrganizationModel } from '../model/organization-model.ts';
import type { HttpCall, Plan, WeightedPlan } from '../plan.ts';
import { inSomeCase, someUniqueWord, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { someEmail, someFirstName, someLastName, somePhone } from './contacts.ts';
import { someKey } from './keys.ts';
import { checkTold, tellingPlan } from './told.ts';

/** Websites with forms. Every token for forms is for the first one. */
export const formSites = ['https://a.example', 'https://b.example:8443'] as const;
const anotherSite = 'https://c.example';

/** A form. A website sends it in the body of a form, and a form service sends it as JSON, again and again. */
interface Form {
  /** Fields by name; fields of a lead have the lead's names. */
  fields: Record<string, string>;
  origin: string | undefined;
  /** Id of the form service; null for a website. */
  externalId: string | null;
}

/** Fields that somebody fills in. Some are invalid. */
export function someFields(planner: Planner): Record<string, string> {
  const { draw } = planner;
  const isWrong = draw.happens(0.1);
  const lastName = someLastName(planner);
  return {
    ...(draw.happens(0.6) && { firstName: someFirstName(planner), ...(lastName && { lastName }) }),
    ...(draw.happens(0.5) && { email: isWrong ? 'ann at example' : someEmail(planner) }),
    ...(draw.happens(0.5) && { phone: draw.happens(0.1) ? 'ask my neighbour' : somePhone(planner) }),
    ...(draw.happens(0.2) && { suburb: 'Newtown' }),
    ...(draw.happens(0.3) && { colour: draw.pick(['red', 'green']) }),
    message: `No hot water,\nsince ${someUniqueWord(planner)}`,
  };
}

function someForm(planner: Planner): Form {
  const { draw, variety } = planner;
  const isOfService = draw.happens(0.3);
  return {
    fields: someFields(planner),
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

function callOf({ fields, origin, externalId }: Form): Omit<HttpCall, 'endpoint'> {
  const { [attempt]: times, ...given } = fields;
  const [type, body] =
    externalId === null
      ? ['application/x-www-form-urlencoded', new URLSearchParams(fields).toString()]
      : ['application/json', JSON.stringify({ ...given, meta: { id: externalId, attempt: times } })];
  return {
    query: externalId === null ? {} : { map: `externalInquiryId:${idField}` },
    body,
    headers: {
      'Content-Type': type,
      Accept: '*/*',
      ...(origin !== undefined && { Origin: origin }),
    },
  };
}

/** Forms that services sent to each organization. */
const sent = new WeakMap<OrganizationModel, Form[]>();

/** A form: a new form, or a form that a service sends again, unchanged or with some fields filled in anew. */
function someSending(planner: Planner): Form {
  const { draw, organization } = planner;
  const before = sent.get(organization) ?? [];
  if (before.length > 0 && draw.happens(0.3)) {
    const again = draw.pick(before.slice(draw.pick([0, -2])));
    const fields = draw.happens(0.4) ? someFields(planner) : again.fields;
    return { ...again, fields: { ...fields, [attempt]: String(draw.whole(2, 5)) } };
  }
  const form = someForm(planner);
  if (form.externalId !== null) sent.set(organization, [...before, form]);
  return form;
}

/** Sends a form from a website, or through a form service. */
export function createFormSubmission(planner: Planner): Plan {
  const { organization } = planner;
  const form = someSending(planner);
  const { externalId, origin } = form;
  const call = callOf(form);
  return {
    operation: `createFormSubmission ${externalId === null ? 'urlencoded' : 'json'}`,
    organization,
    token: someKey(planner, 'forms:submit').token,
    call: { endpoint: 'createFormSubmission', ...call },
    ...tellingPlan('createFormSubmission'),
    check: (body, window, { made, status, headers }) => {
      const allowed = origin === 'null' ? undefined : origin;
      checkOneOf(
        'The response to an accepted form must thank, and allow its site to read it',
        [{ status: 201, body: { message: 'Form submitted successfully' }, allowed }],
        { status, body, allowed: headers['Access-Control-Allow-Origin'] } satisfies Fields,
      );
      checkTold('An accepted form must be stored', JSON.stringify(form.fields), window, made);
    },
  };
}

export const plans: readonly WeightedPlan[] = [[createFormSubmission, 8]];
