import type { HttpCall } from '../plan.ts';
import { inSomeCase, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { someEmail, someFirstName, someLastName, somePhone } from './leads.ts';

/** Websites with forms. Every token for forms is for the first one. */
export const formSites = ['https://a.example', 'https://b.example:8443'] as const;
export const anotherSite = 'https://c.example';

/** Fields of a lead that a form can fill in. */
type LeadField = 'name' | 'firstName' | 'lastName' | 'email' | 'phone' | 'suburb' | 'businessName';

/** A field of a form that somebody filled in. */
export interface Field {
  /**
   * Meaning of the field: a lead's field, its message, or another system's id; undefined for a field that is
   * only kept.
   */
  is: LeadField | 'message' | 'externalInquiryId' | undefined;
  /** Name in the form. Dots separate levels of nesting. */
  name: string;
  value: string;
  /** True if a lead can take the value. */
  isValid: boolean;
  /** True if the field is in the query, as with campaigns. */
  isInQuery?: true;
}

/** Field names that forms use and that need no mapping. */
const names: Record<string, readonly string[]> = {
  name: ['name', 'Name'],
  firstName: ['firstName', 'First Name', 'first_name'],
  lastName: ['lastName', 'LAST-NAME'],
  email: ['email', 'E-Mail', 'EMAIL'],
  phone: ['phone', 'Phone'],
  suburb: ['suburb'],
  businessName: ['businessName', 'Business name'],
  message: ['message', 'Message'],
};

/** Field paths that webhooks use and that a mapping translates. */
const paths: Record<string, string> = {
  name: 'contact.name',
  email: 'contact.mail',
  phone: 'answers.2.text',
  message: 'answers.3.text',
};

interface Typed {
  value: string;
  isValid: boolean;
}

const right = (value: string): Typed => ({ value, isValid: true });
const wrong = (value: string): Typed => ({ value, isValid: false });

/** Values that people type. Some are invalid. */
function someValues(planner: Planner): Partial<Record<LeadField | 'message', Typed>> {
  const { draw } = planner;
  const [first, last] = [someFirstName(planner), someLastName(planner)];
  const asOne = right(`${first} ${last}`.trim());
  const named = draw.weighted<Partial<Record<LeadField, Typed>>>([
    [{ name: asOne }, 4],
    [{ firstName: right(first), ...(last !== '' && { lastName: right(last) }) }, 2],
    [{ name: wrong('A\uFFFDb') }, 0.5],
    [{ firstName: wrong('x'.repeat(300)) }, 0.5],
    [{}, 2],
  ]);
  const message = draw.pick(['Hello', 'No hot water,\nsince Monday', '\u{1F6BF}'.repeat(400)]);
  return {
    ...named,
    ...(draw.happens(0.5) && { email: right(someEmail(planner)) }),
    ...(draw.happens(0.1) && { email: wrong('ann at example') }),
    ...(draw.happens(0.5) && { phone: right(somePhone(planner)) }),
    ...(draw.happens(0.05) && {
      phone: draw.pick([right('ask my neighbour'), wrong('7 '.repeat(120).trim())]),
    }),
    ...(draw.happens(0.2) && { suburb: right('Newtown') }),
    ...(draw.happens(0.1) && { businessName: right('Annex') }),
    ...(draw.happens(0.6) && { message: right(message) }),
  };
}

/** A form as it is sent. */
export interface Form {
  fields: Field[];
  /** Control fields, which say how to process the form. */
  control: { _hp?: string; _next?: string; _form?: string };
  map: string | undefined;
  type: 'urlencoded' | 'multipart' | 'json';
  origin: string | undefined;
  isBrowsers: boolean;
  externalId: string | null;
}

export function someForm(planner: Planner): Form {
  const { draw, variety } = planner;
  const type = draw.pick(['urlencoded', 'multipart', 'json'] as const);
  const isMapped = type === 'json' && draw.happens(0.5);
  const externalId =
    isMapped && draw.happens(0.7) ? inSomeCase(planner, `form-${draw.whole(1, 4 * variety)}`) : null;
  const known = Object.entries(someValues(planner)).map(([is, typed]): Field => {
    const path = isMapped ? paths[is] : undefined;
    return { is: is as LeadField, name: path ?? draw.pick(names[is]!), ...typed };
  });
  const kept = ['colour', 'Wasser 水', 'agreed', 'answers.0.text'].filter(() => draw.happens(0.3));
  const others = kept.map((name): Field => ({
    is: undefined,
    name,
    ...right(draw.pick(['7', 'true', 'red'])),
  }));
  const id: Field[] =
    externalId === null ? [] : [{ is: 'externalInquiryId', name: 'meta.id', ...right(externalId) }];
  const campaign: Field[] = draw.happens(0.2)
    ? [{ is: undefined, name: 'utm_source', ...right('spring & co'), isInQuery: true }]
    : [];
  const maps = [...Object.entries(paths), ['externalInquiryId', 'meta.id']];
  return {
    fields: draw.happens(0.03) ? [] : [...known, ...others, ...id, ...campaign],
    control: {
      ...(draw.happens(0.05) && { _hp: 'http://spam.example' }),
      ...(draw.happens(0.4) && { _next: draw.pick([`${formSites[0]}/thanks`, '/thanks', anotherSite]) }),
      ...(draw.happens(0.4) && { _form: 'Contact' }),
    },
    map: isMapped ? maps.map((pair) => pair.join(':')).join(',') : undefined,
    type,
    origin: draw.weighted<string | undefined>([
      [undefined, 3],
      ['null', 1],
      [formSites[0], 4],
      [formSites[1], 2],
      [anotherSite, 1],
    ]),
    isBrowsers: draw.happens(0.4),
    externalId,
  };
}

/** Converts field names with dots to nested JSON. */
function nested(pairs: readonly (readonly [string, string])[]): Fields {
  const body: Fields = { nothing: null, empty: ' ', list: [] };
  for (const [name, value] of pairs) {
    const [last = '', ...before] = name.split('.').reverse();
    let at = body;
    for (const part of before.reverse()) at = (at[part] ??= {}) as Fields;
    at[last] = value === '7' || value === 'true' ? (JSON.parse(value) as unknown) : value;
  }
  return body;
}

const boundary = '----boundary';

export function callOf({ fields, control, map, type, origin, isBrowsers }: Form): HttpCall {
  const [inQuery = [], inBody = []] = [true, undefined].map((isInQuery) =>
    fields.filter((field) => field.isInQuery === isInQuery).map(({ name, value }) => [name, value] as const),
  );
  const pairs = [...inBody, ...Object.entries(control)];
  const [contentType, body] = {
    json: () => ['application/json', JSON.stringify(nested(pairs))] as const,
    urlencoded: () => ['application/x-www-form-urlencoded', new URLSearchParams(pairs).toString()] as const,
    multipart: () => [`multipart/form-data; boundary=${boundary}`, multipart(pairs)] as const,
  }[type]();
  return {
    endpoint: 'createFormSubmission',
    query: { ...(map !== undefined && { map }), ...Object.fromEntries(inQuery) },
    body,
    headers: {
      'Content-Type': contentType,
      Accept: isBrowsers ? 'text/html,*/*;q=0.8' : '*/*',
      ...(origin !== undefined && { Origin: origin }),
    },
  };
}

function multipart(pairs: readonly (readonly [string, string])[]): string {
  const parts = pairs.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}
