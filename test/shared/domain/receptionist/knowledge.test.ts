import { expect, test } from 'vitest';
import { maxPrompt } from '../../../../shared/contract/receptionist.ts';
import { knowledgeOf } from '../../../../shared/domain/receptionist/knowledge.ts';
import { sayServicePrice } from '../../../../shared/domain/receptionist/say-price.ts';
import type { ConfigurationReader } from '../../../../shared/ledger/index.ts';

const service = (id: number) => ({
  id,
  name: `Service ${id}`,
  description: `We do it for number ${id}, with care and with all that it needs`,
  duration: 60,
  durationUnit: 'MINUTES',
  followUpQuestions: ['Since when?'],
  isActive: true,
  pricingMode: 'FIXED',
  fixedPrice: id,
  hourlyRate: 50,
  callOutFee: 0,
  minPrice: 10,
  maxPrice: 20,
  plusGST: false,
  plusMaterials: false,
  isDisclosePrice: true,
  isCustomPriceResponseActive: false,
  customPriceResponse: null,
});
const faq = (id: number) => ({
  id,
  question: `Question ${id}?`,
  answer: 'An answer of some length. '.repeat(4),
  isActive: true,
});
const some = <T>(count: number, make: (id: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at + 1));

const readerOf = (records: Record<string, unknown[]>) =>
  (({ name }: { name: string }) => records[name] ?? []) as unknown as ConfigurationReader;

const many = {
  ORGANIZATION: [{ name: 'Northwind', currency: 'AUD' }],
  POLICY: some(3, (id) => ({ id, title: `Policy ${id}`, content: 'x'.repeat(300), isActive: true })),
  SERVICE: some(400, service),
  FAQ: some(200, faq),
};

test('of 400 services and 200 FAQs the prompt has as many as there is room for, and names the others', () => {
  const { prompt, leftOut } = knowledgeOf(readerOf(many));
  expect(prompt.length).toBeLessThanOrEqual(maxPrompt);
  expect(prompt.length).toBeGreaterThan(0.97 * maxPrompt);
  // Small sections get all the room that they need, and larger sections share the rest: so no policy gives
  // way.
  expect(leftOut.filter(({ type }) => type === 'policy')).toEqual([]);
  const isIn = ({ name }: { name: string }) =>
    prompt.includes(name.endsWith('?') ? `- ${name} ` : `- ${name} (`);
  const unnamed = leftOut.filter(({ isNamed }) => !isNamed);
  expect(unnamed.filter(isIn)).toEqual([]);
  expect(leftOut.filter(({ isNamed }) => isNamed).filter((one) => !isIn(one))).toEqual([]);
  const all = [...many.SERVICE.map(({ name }) => name), ...many.FAQ.map(({ question }) => question)];
  const left = new Set(leftOut.map(({ name }) => name));
  expect(all.filter((name) => !left.has(name) && !isIn({ name }))).toEqual([]);
  const count = (type: string) => unnamed.filter((one) => one.type === type).length;
  expect(prompt).toContain(
    `Not in this text, for lack of room: ${count('service')} services, ${count('faq')} questions. `,
  );
  expect(knowledgeOf(readerOf(many))).toEqual({ prompt, leftOut });
});

test('the first ones are whole, the next ones have name and price, and the last ones are left out', () => {
  const { leftOut } = knowledgeOf(readerOf(many));
  const services = leftOut.filter(({ type }) => type === 'service');
  const states = many.SERVICE.map(({ id }) => services.find((one) => one.id === id)?.isNamed ?? 'whole');
  const order = [...new Set(states)];
  expect(order).toEqual(['whole', true, false].filter((state) => states.includes(state as never)));
  expect(states.indexOf(false)).toBeGreaterThan(states.lastIndexOf(true));
});

test('a text of one record that is longer than all room is left out, and the rest is there', () => {
  const policies = [
    { id: 1, title: 'Long', content: 'x'.repeat(maxPrompt), isActive: true },
    { id: 2, title: 'Short', content: 'y', isActive: true },
  ];
  const { prompt, leftOut } = knowledgeOf(readerOf({ POLICY: policies }));
  expect(leftOut).toEqual([{ type: 'policy', id: 1, name: 'Long', isNamed: false }]);
  expect(prompt).toContain('- Short. y.');
});

test('scenarios say what to do, and those of a service what to ask', () => {
  const question = { question: 'Is it wet?', answerOptions: [] };
  const scenario = {
    name: 'A storm',
    prompt: 'The roof leaks.',
    response: 'We come today',
    isActive: true,
    outcome: { type: 'transferCall', property1: null, property2: null },
  };
  const { prompt } = knowledgeOf(
    readerOf({
      SERVICE: [service(7)],
      SCENARIO: [
        { ...scenario, id: 1, questions: [question], tradeServiceId: null },
        { ...scenario, id: 2, name: 'Service 7', questions: [question], tradeServiceId: 7, isActive: true },
        { ...scenario, id: 3, name: 'Out of use', questions: [], tradeServiceId: null, isActive: false },
      ],
    }),
  );
  expect(prompt).toContain(
    '- A storm. The roof leaks. Say: We come today. Ask: Is it wet? Then put the call through.',
  );
  expect(prompt).toContain(
    '- Service 7 (service 7). We do it for number 7, with care and with all that it needs. It takes 60 minutes. 7. Ask: Is it wet?',
  );
  expect(prompt).not.toContain('Out of use');
});

test.each([
  [{ pricingMode: 'NONE' }, ''],
  [{ fixedPrice: 180.5, plusGST: true }, 'AUD 180.50 plus GST'],
  [
    { pricingMode: 'HOURLY', hourlyRate: 99, callOutFee: 50, plusMaterials: true },
    'AUD 99 an hour plus materials and a call-out fee of AUD 50',
  ],
  [{ pricingMode: 'RANGE' }, 'AUD 10 to AUD 20'],
  [{ isDisclosePrice: false }, 'Do not tell its price'],
  [
    { isDisclosePrice: false, isCustomPriceResponseActive: true, customPriceResponse: 'It depends' },
    'Asked for the price, say: "It depends"',
  ],
])('a price of %j is told as %j', (changes, said) => {
  const priced = { ...service(1), ...changes } as unknown as Parameters<typeof sayServicePrice>[0];
  expect(sayServicePrice(priced, 'AUD')).toBe(said);
});

test('of what is left out, as much is told as an item holds', () => {
  const FAQ = some(700, (id) => ({ ...faq(id), question: `${id} `.padEnd(255, '水') }));
  const knowledge = knowledgeOf(readerOf({ FAQ }));
  expect(knowledge.leftOut).toHaveLength(600);
  expect(Buffer.byteLength(JSON.stringify(knowledge))).toBeLessThan(350_000);
});
