import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { mappedNames, parseFieldMap } from './field-map.ts';
import { extension, type Descriptions } from './descriptions.ts';

export const tagDescription = 'Forms: what visitors of a website, or other services, send in';

const field = v.optional(v.string());

/** Known fields of a form. Every field is optional, and other fields are kept as well. */
export const FormFields = v.looseObject({
  name: field,
  firstName: field,
  lastName: field,
  email: field,
  phone: field,
  suburb: field,
  businessName: field,
  message: field,
  _form: field,
  _next: field,
  _hp: field,
});

const wrongMap =
  `must be pairs such as email:contact.mail,name:contact.name: a field of the lead or the inquiry (${mappedNames.join(', ')}) ` +
  'and the name of a field of the form';

/** Query parameters that say how to read a form. */
export const FormQuery = v.object({
  map: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(2000),
      v.check((text) => parseFieldMap(text) !== undefined, wrongMap),
      v.metadata(extension),
    ),
  ),
});

/** Messages for a form that was sent, and for a ping; and the end of the summary of a form that names no person. */
export const formSentences = {
  submitted: 'Form submitted successfully',
  ping: 'Received; there is nothing of a person in it, so nothing is stored',
  nobody: 'No name, email or phone number was recognized in this form',
} as const;

export const FormMessage = v.picklist([formSentences.submitted, formSentences.ping]);

/** Response to a form or a ping. */
export const FormSubmitted = v.strictObject({ message: FormMessage });

export const descriptions = {
  FormFields: {
    is:
      'A form as a website or another service sends it. Usual names of these fields count, too, such as `your-email` or ' +
      '`Mobile no.`. Values that the lead did not have are kept in the `fields` of the inquiry; nested values are kept by ' +
      'their path, such as `answers.0.text`',
    fields: {
      name: 'The whole name of the lead',
      firstName: 'The first name of the lead',
      lastName: 'The last name of the lead',
      email: 'The email address. The lead is found by it',
      phone: 'The phone number. The lead is found by it if no lead has the email address',
      suburb: 'The suburb that the lead lives or works in',
      businessName: 'The name of the business that the lead asks for',
      message: 'The message of the lead: the `summary` of the inquiry begins with it',
      _form: 'The name of the form; without it, the host of the website',
      _next: "Where a browser goes on, if it is on a site of the key's",
      _hp: 'Nobody sees this field, so only a robot fills it in. Then nothing is stored, and the answer looks like a success',
    },
  },
  FormQuery: {
    is: 'How to read a form',
    fields: {
      map:
        'Which fields are taken for what, where their names do not say so: `email:contact.mail,name:contact.name`. A `*` stands ' +
        'for any one part of a path. Of several fields for one, the first counts that is filled in and can be one',
    },
  },
  FormMessage: { is: 'The answer to a form, or to a ping' },
  FormSubmitted: {
    is: 'The answer to a form',
    fields: { message: 'A sentence: the form was submitted, or the ping was received and not stored' },
  },
} satisfies Descriptions;

export const createFormSubmissionEndpoint = endpoint({
  method: 'POST',
  path: '/v1/forms/submissions',
  scope: 'forms:submit',
  access: 'putUpdateAndDelete',
  takesForms: true,
  bringsLeads: true,
  summary: 'Submit a form',
  description:
    'Made to be the `action` of a form on any website, and the address of a webhook of any provider. The lead is found by ' +
    'its email address, else by its phone number, else made. Empty fields of the lead are filled in. The inquiry keeps the ' +
    'typed values that the lead did not have. No typed text is refused: a text that is too long is cut, and says so. An empty ' +
    'form is a 400. A ping of a service that tries the address is a 200, and is not stored. Every query parameter but `key` ' +
    'and `map` is a field of the form. A browser, which asks for `text/html`, goes on to `_next` (303), or gets a short ' +
    'page. A request with an `Origin` that is not a site of the key is a 403. The sites may send forms from scripts, too ' +
    '(CORS). If `map` names the id of another system as `externalInquiryId`, a form that is sent again with the same key ' +
    'is not stored again.',
  params: {},
  query: FormQuery,
  body: FormFields,
  responses: { 200: FormSubmitted, 201: FormSubmitted },
  errors: [],
  extension: true,
  example: {
    query: { map: 'suburb:address.suburb' },
    body: {
      name: 'Sofia Rossi',
      email: 'sofia.rossi@example.com',
      phone: '0491 570 159',
      message: 'No hot water since this morning.',
      address: { suburb: 'Leichhardt' },
      _form: 'Contact',
    },
    response: { message: 'Form submitted successfully' },
  },
});
