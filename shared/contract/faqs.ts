import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledText, numberInPath, pathId, readOnlyFields, recordNumber } from './fields.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Frequently asked questions, and their answers';

export const faqLabel = 'FAQ';

/** A frequently asked question: docs/reference.md, FAQ. */
export const Faq = v.strictObject({
  id: recordNumber,
  question: v.string(),
  answer: v.string(),
  isActive: v.boolean(),
});
export type Faq = v.InferOutput<typeof Faq>;

export const NewFaq = v.strictObject({
  question: filledText(255),
  answer: filledText(5000),
  isActive: v.optional(v.boolean()),
});
export type NewFaq = v.InferOutput<typeof NewFaq>;

export const FaqEnvelope = v.strictObject({ faq: Faq });

export const descriptions = {
  Faq: {
    is: 'A frequently asked question, and its answer',
    fields: { question: 'The question', answer: 'The answer' },
  },
  NewFaq: {
    is: 'What creates an FAQ',
    like: 'Faq',
    fields: { isActive: 'Whether it is in use; true when not given' },
  },
  FaqEnvelope: { is: 'An FAQ', fields: { faq: 'The FAQ' } },
} satisfies Descriptions;

const example = {
  id: 1,
  question: 'Do you work on weekends?',
  answer: 'Emergencies only.',
  isActive: true,
};

export const createFaqEndpoint = endpoint({
  method: 'POST',
  path: '/v1/faqs',
  scope: 'faqs:create',
  access: 'put',
  summary: 'Create an FAQ',
  description: 'The same question can be there more than once.',
  params: {},
  body: NewFaq,
  readOnly: readOnlyFields(Faq, NewFaq),
  responses: { 201: FaqEnvelope },
  record: { in: 'faq' },
  errors: [],
  example: {
    body: { question: 'Do you work on weekends?', answer: 'Emergencies only.' },
    response: { faq: example },
  },
});

export const getFaqEndpoint = endpoint({
  method: 'GET',
  path: '/v1/faqs/{faqId}',
  scope: 'faqs:read',
  access: 'get',
  summary: 'Read an FAQ',
  description: 'Also one that is not in use.',
  params: { faqId: pathId(faqLabel, numberInPath) },
  responses: { 200: FaqEnvelope },
  record: { in: 'faq' },
  errors: [404],
  extension: true,
  example: { params: { faqId: '1' }, response: { faq: example } },
});
