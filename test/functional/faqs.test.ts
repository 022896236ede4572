import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { createFaqEndpoint, Faq, getFaqEndpoint } from '../../shared/contract/faqs.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';
import type { Collection } from '../../shared/ledger/index.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

/** The FAQs as they are stored: no endpoint lists them. */
const storedFaqs = ({ openLedger }: Pick<TestOrganization, 'openLedger'>): Promise<Faq[]> => {
  const faqs = { name: 'FAQ', label: 'FAQ', schema: v.object(Faq.entries) } satisfies Collection;
  return openLedger().ledger.all(faqs);
};

test('FAQs are created with the given fields, active by default, and numbered by organization', async () => {
  const { ours, theirs } = await setup();
  const given = [
    { question: 'Do you work on weekends?', answer: 'Emergencies only.\nCall us.' },
    { question: ' Is it open? ', answer: ' Yes ', isActive: true },
    { question: 'Was it?', answer: 'No', isActive: false },
    // The same question again is another FAQ.
    { question: 'Was it?', answer: 'No', isActive: false },
    { question: 'x'.repeat(255), answer: '\u20ac'.repeat(5000) },
  ];
  for (const [at, body] of given.entries()) {
    expect(await ours.api.call(createFaqEndpoint, { body })).toEqual({
      faq: { id: at + 1, isActive: true, ...body },
    });
  }
  const body = { question: 'Theirs?', answer: 'Yes' };
  const { faq } = await theirs.api.call(createFaqEndpoint, { body });
  expect(faq).toEqual({ id: 1, isActive: true, ...body });

  expect(await storedFaqs(ours)).toEqual(given.map((faq, at) => ({ id: at + 1, isActive: true, ...faq })));
  expect(await storedFaqs(theirs)).toEqual([faq]);
});

test('an FAQ can be sent back as it was read: its id is ignored', async () => {
  const { api } = world.ours;
  const { faq } = await api.call(createFaqEndpoint, {
    body: { question: 'Why?', answer: 'So', isActive: false },
  });
  const { faq: copy } = await api.call(createFaqEndpoint, { body: faq });
  expect(copy).toEqual({ ...faq, id: faq.id + 1 });
});

test('an FAQ is read by its id, also one that is not in use', async () => {
  const { api } = world.ours;
  for (const isActive of [true, false]) {
    const body = { question: 'Do you work on weekends?', answer: 'Emergencies only.\nCall us.', isActive };
    const { faq } = await api.call(createFaqEndpoint, { body });
    expect(await api.call(getFaqEndpoint, { params: { faqId: faq.id } })).toEqual({ faq });
  }
});

test('an FAQ that is not there is 404, and so is an id that can be none', async () => {
  const { ours } = await setup();
  await ours.api.call(createFaqEndpoint, { body: { question: 'Why?', answer: 'So' } });
  for (const faqId of ['2', '0', '-1', '01', '1.0', 'one', '999999999999', '1000000000000']) {
    expect(await ours.api.failure(getFaqEndpoint, 404, { params: { faqId } })).toEqual({
      status: 404,
      message: 'There is no such FAQ',
    });
  }
});

test('an FAQ of another organization answers as one that never existed', async () => {
  const { ours, theirs } = await setup();
  // Each has one of its own by number 1; only the other has a second.
  await ours.api.call(createFaqEndpoint, { body: { question: 'Ours?', answer: 'Yes' } });
  await theirs.api.call(createFaqEndpoint, { body: { question: 'Theirs?', answer: 'Yes' } });
  const { faq } = await theirs.api.call(createFaqEndpoint, { body: { question: 'Theirs?', answer: 'Yes' } });
  expect(await ours.api.failure(getFaqEndpoint, 404, { params: { faqId: faq.id } })).toEqual(
    await ours.api.failure(getFaqEndpoint, 404, { params: { faqId: 99 } }),
  );
  const { faq: own } = await ours.api.call(getFaqEndpoint, { params: { faqId: 1 } });
  expect(own.question).toBe('Ours?');
});

test.each<[field: string, message: string, value: unknown]>([
  ['question', 'is required', undefined],
  ['question', 'is required', null],
  ['question', 'must be a string', 7],
  ['question', 'must not be empty', ''],
  ['question', 'must not be empty', ' \n'],
  ['question', 'must be at most 255 long', 'x'.repeat(256)],
  ['question', 'must be valid Unicode text', '\ud800'],
  ['answer', 'is required', undefined],
  ['answer', 'must be a string', ['Yes']],
  ['answer', 'must not be empty', ''],
  ['answer', 'must not be empty', '\t'],
  ['answer', 'must be at most 5000 long', 'x'.repeat(5001)],
  ['answer', 'must be valid Unicode text', '\ud800'],
  ['isActive', 'must be true or false', 'true'],
  ['text', 'is not a known field', 'x'],
])('an FAQ is refused where %s %s (%#)', async (field, message, value) => {
  const body = { question: 'Why?', answer: 'So', [field]: value };
  expect(await world.ours.api.failure(createFaqEndpoint, 400, { body })).toEqual({
    status: 400,
    message: `${field} ${message}`,
    details: [{ field, message }],
  });
});

test('a refused FAQ is not stored', async () => {
  const { ours } = await setup();
  const { details } = await ours.api.failure(createFaqEndpoint, 400, { body: { question: '', answer: 7 } });
  expect(details?.map(({ field }) => field)).toEqual(['question', 'answer']);
  expect(await storedFaqs(ours)).toEqual([]);
});
