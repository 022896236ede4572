import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { exclusive } from './exclusive.ts';
import { filledText, numberInPath, pathId, readOnlyFields, recordNumber, text } from './fields.ts';
import { SaidQuery } from './said.ts';
import { ActivePageQuery, pageExample, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Frequently asked questions, and their answers';

export const faqLabel = 'FAQ';

/** A frequently asked question: docs/reference/knowledge.md, FAQ. */
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

export const FaqQuery = v.pipe(
  v.object({
    ...ActivePageQuery.entries,
    q: v.optional(v.pipe(text(500), v.minLength(1, 'must not be empty'))),
    ...SaidQuery.entries,
  }),
  exclusive(['q'], ['isActive', 'after', 'order']),
  v.forward(
    v.partialCheck([['format'], ['q']], ({ format, q }) => !format || q !== undefined, 'must come with q'),
    ['format'],
  ),
);
export type FaqQuery = v.InferOutput<typeof FaqQuery>;

/** Maximum number of FAQs in an answer to be read out. */
export const maxSaidFaqs = 3;

/** Answer to a question, to be read out. */
export const SaidFaqs = v.strictObject({ say: v.string(), faqs: v.array(Faq) });
export type SaidFaqs = v.InferOutput<typeof SaidFaqs>;

export const FaqPage = pageSchema('faqs', Faq);
export const FaqDeleted = v.strictObject({ message: v.literal('FAQ deleted successfully') });
export const FaqEnvelope = v.strictObject({ faq: Faq });

export const descriptions = {
  Faq: {
    is: 'A frequently asked question, and its answer',
    fields: { question: 'The question', answer: 'The answer' },
  },
  NewFaq: {
    is: 'The body to create an FAQ',
    like: 'Faq',
    fields: { isActive: 'Whether it is in use; true when not given' },
  },
  FaqQuery: {
    is: 'Which FAQs to read',
    like: 'ActivePageQuery',
    fields: {
      q: 'Only FAQs in use that have a word of this text, the best first. Not with `isActive`',
      format:
        '`say` for a small answer with a sentence to be read out, only with `q`; the whole one when not given',
    },
  },
  SaidFaqs: {
    is: 'The known answer to a question, to be read out',
    fields: {
      say: 'A sentence for the caller: the answer of the best FAQ, or that no answer is known',
      faqs: 'The best three of the FAQs that have a word of the question, the best first',
    },
  },
  FaqChanges: { is: 'The body to change an FAQ', like: 'Faq' },
  FaqEnvelope: { is: 'An FAQ', fields: { faq: 'The FAQ' } },
  FaqPage: { is: 'A page of FAQs', fields: { faqs: 'The FAQs of this page' } },
  FaqDeleted: { is: 'The answer to the deletion of an FAQ', fields: { message: 'Always the same sentence' } },
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
  summary: 'List FAQs, newest first, or find the answer to a question',
  description:
    'All FAQs, only FAQs in use, or only FAQs that are not in use. With `q` the list has the FAQs in use that have a word ' +
    'of `q`, in the question or the answer, the best first. Rare words score higher, and words of the question count ' +
    'double. Case, accents and short endings of words make no difference.',
  params: {},
  query: FaqQuery,
  responses: { 200: FaqPage },
  said: { schema: SaidFaqs, example: { say: 'Emergencies only.', faqs: [example] } },
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
  description: 'Also an FAQ that is not in use.',
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
  description: 'Fields that are left out stay unchanged.',
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
  access: 'putUpdateAndDelete',
  summary: 'Delete an FAQ',
  description: 'To keep it out of use, set `isActive` to false instead.',
  params: { faqId },
  responses: { 200: FaqDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { faqId: '1' }, response: { message: 'FAQ deleted successfully' } },
});
