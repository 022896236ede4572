import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledText, numberInPath, pathId, readOnlyFields, recordNumber } from './fields.ts';
import { ActivePageQuery, pageExample, pageSchema } from './pagination.ts';
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

/** Body of a change of an FAQ. Fields that are left out stay. */
export const FaqChanges = v.partial(NewFaq);
export type FaqChanges = v.InferOutput<typeof FaqChanges>;

export const FaqPage = pageSchema('faqs', Faq);
export const FaqDeleted = v.strictObject({ message: v.literal('FAQ deleted successfully') });
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
  FaqChanges: { is: 'What changes about an FAQ', like: 'Faq' },
  FaqEnvelope: { is: 'An FAQ', fields: { faq: 'The FAQ' } },
  FaqPage: { is: 'A page of FAQs', fields: { faqs: 'The FAQs of this page' } },
  FaqDeleted: { is: 'That an FAQ was deleted', fields: { message: 'That it was deleted' } },
} satisfies Descriptions;

const faqId = pathId(faqLabel, numberInPath);

const example = {
  id: 1,
  question: 'Do you work on weekends?',
  answer: 'Emergencies only.',
  isActive: true,
};

export const listFaqsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/faqs',
  scope: 'faqs:read',
  access: 'readPageAndList',
  summary: 'List FAQs, newest first',
  description: 'All, those that are in use, or those that are not.',
  params: {},
  query: ActivePageQuery,
  responses: { 200: FaqPage },
  errors: [],
  extension: true,
  example: pageExample('faqs', example),
});

export const createFaqEndpoint = endpoint({
  method: 'POST',
  path: '/v1/faqs',
  scope: 'faqs:create',
  access: 'putAndUpdate',
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
  params: { faqId },
  responses: { 200: FaqEnvelope },
  record: { in: 'faq' },
  errors: [404],
  extension: true,
  example: { params: { faqId: '1' }, response: { faq: example } },
});

export const updateFaqEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/faqs/{faqId}',
  scope: 'faqs:write',
  access: 'putAndUpdate',
  summary: 'Change an FAQ',
  description: 'What is left out stays.',
  params: { faqId },
  body: FaqChanges,
  readOnly: readOnlyFields(Faq, FaqChanges),
  responses: { 200: FaqEnvelope },
  record: { in: 'faq' },
  errors: [404],
  extension: true,
  example: {
    params: { faqId: '1' },
    body: { answer: 'On Saturdays, from 8 to 12.' },
    response: { faq: { ...example, answer: 'On Saturdays, from 8 to 12.' } },
  },
});

export const deleteFaqEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/faqs/{faqId}',
  scope: 'faqs:write',
  access: 'putMoveAndRelease',
  summary: 'Delete an FAQ',
  description: 'To keep it out of use, set `isActive` to false instead.',
  params: { faqId },
  responses: { 200: FaqDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { faqId: '1' }, response: { message: 'FAQ deleted successfully' } },
});
