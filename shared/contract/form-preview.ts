import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { mappedNames } from './field-map.ts';
import { FormFields, FormQuery } from './forms.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'forms';

export const MappedField = v.picklist(mappedNames);

/** Field of a form, and the fields of the lead or inquiry that it can fill. */
export const PreviewedField = v.strictObject({
  name: v.string(),
  value: v.string(),
  takenFor: v.array(MappedField),
});

/** Inquiry that would be made from a form. */
export const PreviewedInquiry = v.strictObject({
  formName: v.string(),
  summary: v.string(),
  externalInquiryId: v.nullable(v.string()),
  fields: v.record(v.string(), v.string()),
});

/** Lead and inquiry that would be made from a form. */
export const FormPreview = v.strictObject({
  isStored: v.boolean(),
  lead: v.record(v.string(), v.string()),
  inquiry: PreviewedInquiry,
  sent: v.array(PreviewedField),
});
export type FormPreview = v.InferOutput<typeof FormPreview>;

export const descriptions = {
  MappedField: { is: 'A field of the lead or the inquiry that a field of a form can fill' },
  PreviewedField: {
    is: 'A field of the form',
    fields: {
      name: 'Its name, or its path, as a `map` takes it',
      value: 'Its value; the first 500 characters',
      takenFor: 'The fields that it fills; empty for a field that is only kept',
    },
  },
  PreviewedInquiry: {
    is: 'An inquiry that a form would become',
    fields: {
      formName: 'The name of the form',
      summary:
        'The beginning of the message. Its last line says if no name, email or phone number was recognized',
      externalInquiryId: 'Its id in another system, or null',
      fields: 'The texts that the inquiry would keep, by the names of the fields',
    },
  },
  FormPreview: {
    is: 'The lead and the inquiry of a form that is not stored',
    fields: {
      isStored: 'Whether it would be stored: a ping, and what fills in the trap, is not',
      lead: 'Fields of the lead that it would find, fill or make',
      inquiry: 'The inquiry for a lead that is not there yet',
      sent: 'The first 200 fields that were sent, and fields within JSON that are taken for something',
    },
  },
} satisfies Descriptions;

export const previewFormEndpoint = endpoint({
  method: 'POST',
  path: '/v1/forms/preview',
  scope: 'inquiries:read',
  access: 'get',
  takesForms: true,
  summary: 'Preview what a form would store',
  description:
    'Takes what `POST /v1/forms/submissions` takes, with the same `map`, and stores nothing: for whoever writes a map. A key, which others ' +
    'can see, may not ask this; any token that reads inquiries may.',
  params: {},
  query: FormQuery,
  body: FormFields,
  responses: { 200: FormPreview },
  errors: [],
  extension: true,
  example: {
    query: { map: 'suburb:address.suburb' },
    body: { name: 'Sofia Rossi', message: 'No hot water.', address: { suburb: 'Leichhardt' } },
    response: {
      isStored: true,
      lead: { firstName: 'Sofia', lastName: 'Rossi', suburb: 'Leichhardt' },
      inquiry: {
        formName: '',
        summary: 'No hot water.',
        externalInquiryId: null,
        fields: { message: 'No hot water.' },
      },
      sent: [
        { name: 'name', value: 'Sofia Rossi', takenFor: ['name'] },
        { name: 'message', value: 'No hot water.', takenFor: ['message'] },
        { name: 'address.suburb', value: 'Leichhardt', takenFor: ['suburb'] },
      ],
    },
  },
});
