import { beforeAll, describe, expect, test } from 'vitest';
import { pascal } from '../../infra/functions.ts';
import {
  createCategoryEndpoint,
  deleteCategoryEndpoint,
  getCategoryEndpoint,
  listCategoriesEndpoint,
  updateCategoryEndpoint,
} from '../../shared/contract/categories.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import {
  createCompanyNoteEndpoint,
  deleteCompanyNoteEndpoint,
  getCompanyNoteEndpoint,
  listCompanyNotesEndpoint,
  updateCompanyNoteEndpoint,
} from '../../shared/contract/company-notes.ts';
import {
  createFaqEndpoint,
  deleteFaqEndpoint,
  getFaqEndpoint,
  listFaqsEndpoint,
  updateFaqEndpoint,
} from '../../shared/contract/faqs.ts';
import {
  createPolicyEndpoint,
  deletePolicyEndpoint,
  getPolicyEndpoint,
  listPoliciesEndpoint,
  updatePolicyEndpoint,
} from '../../shared/contract/policies.ts';
import {
  createProductEndpoint,
  deleteProductEndpoint,
  getProductEndpoint,
  listProductsEndpoint,
  updateProductEndpoint,
} from '../../shared/contract/products.ts';
import {
  createServiceEndpoint,
  deleteServiceEndpoint,
  getServiceEndpoint,
  listServicesEndpoint,
  updateServiceEndpoint,
} from '../../shared/contract/services.ts';
import {
  createTransferEndpoint,
  deleteTransferEndpoint,
  getTransferEndpoint,
  listTransfersEndpoint,
  updateTransferEndpoint,
} from '../../shared/contract/transfers.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { events } from '../../shared/ledger/index.ts';
import { setup } from '../support/world.ts';
import { expectMadeSince } from '../support/made-since.ts';

/* What products, services, transfer rules, policies, FAQs and notes have in common: `kinds` tells the difference. */

const { ours, theirs } = await setup();
/** Organizations in which each kind is tested once, so that its first record has the number 1. */
const fresh = await setup();

/** Categories and scenarios that our organization has, and the other has not. */
const newCategory = async (type: 'PRODUCT' | 'SERVICE') =>
  (await createCategory(ours.openLedger().ledger, { name: `More of ${type}`, type })).id;
const [moreGoods, moreServices] = [await newCategory('PRODUCT'), await newCategory('SERVICE')];
const service = { name: 'Burst pipe', tradeCategoryId: 1 };
const scenarioId = (await createService(ours.openLedger().ledger, service)).scenario.id;

/** A company of each organization, which has the notes. */
const companyIds = new Map<typeof ours, string>();
for (const of of [ours, theirs, fresh.ours, fresh.theirs])
  companyIds.set(of, (await createCompany(of.openLedger().ledger, { name: 'Bayview' })).id);

type Fields = Record<string, unknown>;
type Made = Fields & { id: number };

interface Kind {
  /** Name in messages, and in the sentences of events. */
  label: string;
  called?: string;
  /** Name in answers. */
  record: string;
  create: Endpoint;
  update?: Endpoint;
  read?: Endpoint;
  list?: Endpoint;
  remove?: Endpoint;
  /** True if the list is by id ascending. */
  isAscending?: true;
  /** Number of the first one that is made; 1 if undefined. */
  firstNumber?: number;
  /** Field that says whether it is in use, by which the list can be filtered. */
  state?: 'isActive' | 'isEnabled';
  /** The least that makes a record, and the values that the rest then has. */
  least: (text: string) => Fields;
  defaults: (text: string) => Fields;
  /** Every field that the answer shows. */
  all: (text: string) => Fields;
  /** Fields that lose the white space around them. */
  trimmed: string[];
  largest: Fields;
  changes: Fields[];
  /** Field whose text is unique, and the conflict's message; and another place where the text is free. */
  unique?: { field: string; message: string; elsewhere?: Fields };
  required: string[];
  /** A field that names a record which only our organization has. */
  reference?: Fields;
  /** Wrong values: the problem, then its values. Other fields of the bodies are those of `beside`. */
  beside?: Fields;
  wrong: [problem: string, ...values: unknown[]][];
}

const long = (length: number) => '€'.repeat(length);
/** A name whose key is the longest: such a character becomes six bytes. */
const longestName = '\uFB2C'.repeat(150);
const tooLong = (length: number) => 'x'.repeat(length + 1);
const faq = { question: 'Q', answer: 'A' };
const largestFaqs = Array.from({ length: 10 }, () => ({ question: long(255), answer: long(1000) }));
const noCategory = 'tradeCategoryId names no category of the organization';
const prices = ['fixedPrice', 'hourlyRate', 'callOutFee', 'minPrice', 'maxPrice'];
const flags = ['plusGST', 'plusMaterials', 'isCustomPriceResponseActive', 'isDisclosePrice', 'isActive'];
const noPrices = { fixedPrice: 0, hourlyRate: 0, callOutFee: 0, minPrice: 0, maxPrice: 0 };

const wrongNames: Kind['wrong'] = [
  ['name must be a string', 7],
  ['name must not be empty', '', ' \t'],
  ['name must be at most 150 long', tooLong(150)],
  ['name must be a single line of text', 'two\nlines'],
  ['name must be valid Unicode text', '\ud800'],
];
const wrongNumbers = (field: string): Kind['wrong'] => [
  [`${field} must be a number`, '1'],
  [`${field} must be at least 1`, 0],
  [`${field} must be a whole number`, 1.5],
  [`${field} must be at most 999999999999`, 1e12],
];
const wrongAmounts = (field: string): Kind['wrong'] => [
  [`${field} must be a number`, '15'],
  [`${field} must be at least 0`, -0.01],
  [`${field} must be at most 1000000000`, 1_000_000_000.01],
  [`${field} must have at most two decimals`, 1.005, 1 / 3],
];

const kinds: Kind[] = [
  {
    label: 'product',
    record: 'product',
    create: createProductEndpoint,
    update: updateProductEndpoint,
    read: getProductEndpoint,
    list: listProductsEndpoint,
    remove: deleteProductEndpoint,
    state: 'isActive',
    least: (name) => ({ name, tradeCategoryId: 2, pricingType: 'NONE' }),
    defaults: () => ({
      ...{ description: '', price: 0, maxPrice: 0, isDisclosePrice: false, faqs: [], isActive: true },
    }),
    all: (text) => ({
      ...{ name: `  ${text} `, description: ' Gas\nstorage ', tradeCategoryId: 2 },
      ...{ pricingType: 'RANGE', price: 1450.5, maxPrice: 1900, isDisclosePrice: true, isActive: false },
      faqs: [{ question: 'Is the old one\ntaken away?', answer: ' Yes. ' }],
    }),
    trimmed: ['name'],
    largest: {
      ...{ name: longestName, description: long(2000), response: long(5000), faqs: largestFaqs },
      ...{ pricingType: 'RANGE', price: 999_999_999.99, maxPrice: 1_000_000_000 },
    },
    changes: [
      { description: '', faqs: [faq], isDisclosePrice: true, isActive: false },
      { tradeCategoryId: moreGoods },
      { tradeCategoryId: moreGoods, name: 'Float valve' },
    ],
    unique: {
      field: 'name',
      message: 'Another product has this name in the same category',
      elsewhere: { tradeCategoryId: moreGoods },
    },
    required: ['name', 'tradeCategoryId', 'pricingType'],
    reference: { tradeCategoryId: moreGoods },
    beside: { pricingType: 'RANGE', price: 10, maxPrice: 20 },
    wrong: [
      ...wrongNames,
      ...wrongNumbers('tradeCategoryId'),
      [noCategory, 999_999_999_999],
      ['tradeCategoryId names a category of type SERVICE, not of type PRODUCT', 1],
      ['pricingType must be one of NONE, FIXED, RANGE', 'HOURLY', 'fixed'],
      ...['price', 'maxPrice'].flatMap(wrongAmounts),
      ['isDisclosePrice must be true or false', 'true'],
      ['isActive must be true or false', 1],
      ['description must be at most 2000 long', tooLong(2000)],
      ['response must be a string', 1],
      ['response must be at most 5000 long', tooLong(5000)],
      ['faqs must be an array', {}],
      ['faqs must be at most 10 long', Array(11).fill(faq)],
      ['faqs.0 must be an object', ['Q']],
      ['faqs.1.answer is required', [faq, { question: 'Q' }]],
      ['faqs.0.question must not be empty', [{ ...faq, question: ' ' }]],
      ['faqs.0.question must be at most 255 long', [{ ...faq, question: tooLong(255) }]],
      ['faqs.0.answer must be at most 1000 long', [{ ...faq, answer: tooLong(1000) }]],
      ['faqs.0.id is not a known field', [{ ...faq, id: 1 }]],
      ['nmae is not a known field', 'Tap'],
      ['pricing is not a known field', { price: 15 }],
    ],
  },
  {
    label: 'transfer',
    called: 'transfer rule',
    record: 'transfer',
    create: createTransferEndpoint,
    update: updateTransferEndpoint,
    read: getTransferEndpoint,
    list: listTransfersEndpoint,
    remove: deleteTransferEndpoint,
    state: 'isEnabled',
    least: (label) => ({
      ...{ label, method: 'WARM', destinationType: 'DEPARTMENT', destination: 'Emergencies' },
      conditions: 'Water is running',
    }),
    defaults: (label) => ({
      ...{ name: label, summaryFormat: '', settings: { ignore_business_hours: false } },
      ...{ isEnabled: true, scenarioId: null },
    }),
    all: (text) => ({
      ...{ label: ` ${text} `, name: 'Somebody is under water', method: 'COLD' },
      ...{ destinationType: 'PHONE_NUMBER', destination: '+61491570156' },
      conditions: ' Water is running,\nand cannot be turned off',
      summaryFormat: ' {name} called about {topic}:\n{summary}',
      ...{ settings: { ignore_business_hours: true }, isEnabled: false, scenarioId },
    }),
    trimmed: ['label'],
    largest: {
      ...{ label: longestName, name: longestName, destination: long(200), conditions: long(2000) },
      summaryFormat: long(1000),
    },
    changes: [
      {
        ...{ name: 'All boilers', method: 'COLD', destinationType: 'MEMBER', destination: '1' },
        ...{ conditions: 'Always', summaryFormat: '', isEnabled: false },
      },
      // The name stays.
      { label: 'Roofs' },
    ],
    unique: { field: 'label', message: 'Another transfer has this label' },
    required: ['label', 'method', 'destinationType', 'destination', 'conditions'],
    reference: { scenarioId },
    wrong: [
      ['label must be a string', 7],
      ['label must not be empty', ' '],
      ['label must be at most 150 long', tooLong(150)],
      ['label must be a single line of text', 'a\tb'],
      ['name must not be empty', ''],
      ['name must be at most 150 long', tooLong(150)],
      ['method must be one of WARM, COLD', 'LUKEWARM'],
      ['destinationType must be one of DEPARTMENT, MEMBER, PHONE_NUMBER', 'department'],
      ['destination must not be empty', ''],
      ['destination must be at most 200 long', tooLong(200)],
      ['conditions must not be empty', ' \n'],
      ['conditions must be at most 2000 long', tooLong(2000)],
      ['conditions must be valid Unicode text', '\udc00'],
      ['summaryFormat must be at most 1000 long', tooLong(1000)],
      ['settings must be an object', true],
      ['settings.ignore_business_hours must be true or false', { ignore_business_hours: 'no' }],
      ['settings.ignoreBusinessHours is not a known field', { ignoreBusinessHours: true }],
      ['isEnabled must be true or false', 0],
      ...wrongNumbers('scenarioId'),
      ['scenarioId names no scenario of the organization', 999_999_999_999],
      ['lable is not a known field', 'Tap'],
    ],
  },
  {
    label: 'policy',
    record: 'policy',
    create: createPolicyEndpoint,
    update: updatePolicyEndpoint,
    read: getPolicyEndpoint,
    list: listPoliciesEndpoint,
    remove: deletePolicyEndpoint,
    state: 'isActive',
    least: (title) => ({ title, content: 'Free until 24 hours before.' }),
    defaults: () => ({ isActive: true }),
    all: (title) => ({ title, content: 'Free\nuntil 24 hours before.', isActive: false }),
    trimmed: ['title'],
    largest: { title: 'x'.repeat(200), content: long(10_000) },
    changes: [
      { title: ' New ' },
      { content: ' New\n\ncontent ' },
      { isActive: false },
      { title: 'New', content: 'New', isActive: false },
    ],
    required: ['title', 'content'],
    wrong: [
      ['title must be a string', 7],
      ['title must not be empty', '', '  '],
      ['title must be at most 200 long', tooLong(200)],
      ['title must be a single line of text', 'two\nlines'],
      ['title must be valid Unicode text', '\ud800'],
      ['content must be a string', ['x']],
      ['content must not be empty', '', ' \n'],
      ['content must be at most 10000 long', tooLong(10_000)],
      ['content must be valid Unicode text', '\ud800'],
      ['isActive must be true or false', 'true'],
      ['text is not a known field', 'x'],
    ],
  },
  {
    label: 'FAQ',
    record: 'faq',
    create: createFaqEndpoint,
    update: updateFaqEndpoint,
    read: getFaqEndpoint,
    list: listFaqsEndpoint,
    remove: deleteFaqEndpoint,
    state: 'isActive',
    least: (question) => ({ question, answer: 'So' }),
    defaults: () => ({ isActive: true }),
    all: (text) => ({ question: ` ${text}\n `, answer: ' Emergencies only.\nCall us. ', isActive: false }),
    trimmed: [],
    largest: { question: long(255), answer: long(5000) },
    changes: [{ answer: ' New\nanswer ' }, { question: 'New?', isActive: false }],
    required: ['question', 'answer'],
    wrong: [
      ['question must be a string', 7],
      ['question must not be empty', '', ' \n'],
      ['question must be at most 255 long', tooLong(255)],
      ['question must be valid Unicode text', '\ud800'],
      ['answer must be a string', ['Yes']],
      ['answer must not be empty', '', '\t'],
      ['answer must be at most 5000 long', tooLong(5000)],
      ['answer must be valid Unicode text', '\ud800'],
      ['isActive must be true or false', 'true'],
      ['text is not a known field', 'x'],
    ],
  },
  {
    label: 'note',
    record: 'note',
    create: createCompanyNoteEndpoint,
    update: updateCompanyNoteEndpoint,
    read: getCompanyNoteEndpoint,
    list: listCompanyNotesEndpoint,
    remove: deleteCompanyNoteEndpoint,
    least: (value) => ({ value }),
    defaults: () => ({ companyId: companyIds.get(fresh.ours), userId: fresh.ours.userId }),
    all: (text) => ({ value: ` ${text}\nbefore noon ` }),
    trimmed: [],
    largest: { value: long(10_000) },
    changes: [{ value: ' New\nnote ' }],
    required: ['value'],
    wrong: [
      ['value must be a string', 7],
      ['value must not be empty', '', ' \n'],
      ['value must be at most 10000 long', tooLong(10_000)],
      ['value must be valid Unicode text', '\ud800'],
      ['text is not a known field', 'x'],
    ],
  },
  // Behind transfer rules, which name a scenario that the other organization does not have.
  {
    label: 'service',
    record: 'service',
    create: createServiceEndpoint,
    update: updateServiceEndpoint,
    read: getServiceEndpoint,
    list: listServicesEndpoint,
    remove: deleteServiceEndpoint,
    state: 'isActive',
    least: (name) => ({ name, tradeCategoryId: 1 }),
    defaults: () => ({
      ...{ description: '', duration: 60, durationUnit: 'MINUTES', followUpQuestions: [], isActive: true },
      ...{ pricingMode: 'NONE', ...noPrices, plusGST: false, plusMaterials: false, isDisclosePrice: false },
      ...{ isCustomPriceResponseActive: false, customPriceResponse: null },
      teamAssignmentMethod: 'PRIORITY_ORDER',
      ...{ bufferBefore: 0, bufferAfter: 0, leastNotice: 0, furthestDay: 90 },
    }),
    all: (text) => ({
      ...{ name: `  ${text} `, description: 'All\nof it', duration: 2, durationUnit: 'HOURS' },
      ...{ followUpQuestions: ['Where?'], tradeCategoryId: 1, teamAssignmentMethod: 'ROUND_ROBIN' },
      ...{ pricingMode: 'FIXED', ...noPrices, fixedPrice: 180.5, callOutFee: 89.95 },
      ...{ bufferBefore: 15, bufferAfter: 1440, leastNotice: 43_200, furthestDay: 0 },
      ...{ plusGST: true, plusMaterials: true, isDisclosePrice: true, isActive: false },
      ...{ isCustomPriceResponseActive: true, customPriceResponse: 'It depends' },
    }),
    trimmed: ['name'],
    largest: {
      ...{ name: longestName, description: long(1400), duration: 100_000, durationUnit: 'DAYS' },
      followUpQuestions: Array.from({ length: 10 }, () => long(200)),
      ...{ pricingMode: 'RANGE', minPrice: 0.01, maxPrice: 1_000_000_000, callOutFee: 999_999_999.99 },
      customPriceResponse: long(1000),
    },
    changes: [
      { description: 'New', duration: 3, durationUnit: 'DAYS', isActive: false, followUpQuestions: [] },
      { pricingMode: 'HOURLY', hourlyRate: 95.5, callOutFee: 80, plusGST: true },
      { customPriceResponse: 'It depends', teamAssignmentMethod: 'ROUND_ROBIN' },
      { bufferBefore: 10, bufferAfter: 20, leastNotice: 60, furthestDay: 365 },
      { tradeCategoryId: moreServices },
      { tradeCategoryId: moreServices, name: 'Float valve', isActive: false },
    ],
    unique: {
      field: 'name',
      message: 'Another service has this name in the same category',
      elsewhere: { tradeCategoryId: moreServices },
    },
    required: ['name', 'tradeCategoryId'],
    reference: { tradeCategoryId: moreServices },
    wrong: [
      ...wrongNames,
      ...wrongNumbers('tradeCategoryId'),
      [noCategory, 999_999_999_999],
      ['tradeCategoryId names a category of type PRODUCT, not of type SERVICE', 2],
      ['description must be at most 1400 long', tooLong(1400)],
      ['description must be valid Unicode text', '\udc00'],
      ['duration must be a number', '60'],
      ['duration must be at least 1', 0],
      ['duration must be at most 100000', 100_001],
      ['duration must be a whole number', 1.5],
      ['bufferBefore must be at most 1440', 1441],
      ['bufferAfter must be at least 0', -1],
      ['leastNotice must be a whole number', 1.5],
      ['furthestDay must be at most 365', 366],
      ['durationUnit must be one of MINUTES, HOURS, DAYS', 'WEEKS', 'minutes'],
      ['followUpQuestions must be an array', 'Where?'],
      ['followUpQuestions must be at most 10 long', Array(11).fill('Where?')],
      ['followUpQuestions.0 must be a string', [7], [null]],
      ['followUpQuestions.1 must not be empty', ['Where?', ' ']],
      ['followUpQuestions.1 must be at most 200 long', ['Where?', tooLong(200)]],
      ['followUpQuestions.0 must be a single line of text', ['a\nb']],
      ['pricingMode must be one of NONE, FIXED, HOURLY, RANGE', 'FREE'],
      ...prices.flatMap(wrongAmounts),
      ...flags.map((flag): [string, unknown] => [`${flag} must be true or false`, 'true']),
      ['customPriceResponse must be a string', 7],
      ['customPriceResponse must be at most 1000 long', tooLong(1000)],
      ['customPriceResponse must be valid Unicode text', '\ud800'],
      ['teamAssignmentMethod must be one of PRIORITY_ORDER, ROUND_ROBIN', 'RANDOM'],
      ['price is not a known field', 1],
      ['scenarioId is not a known field', 1],
    ],
  },
  // Last: others name categories that the other organization does not have.
  {
    label: 'category',
    record: 'category',
    create: createCategoryEndpoint,
    update: updateCategoryEndpoint,
    read: getCategoryEndpoint,
    list: listCategoriesEndpoint,
    remove: deleteCategoryEndpoint,
    isAscending: true,
    // Every organization begins with two.
    firstNumber: 3,
    least: (name) => ({ name, type: 'SERVICE' }),
    defaults: () => ({}),
    all: (name) => ({ name: ` ${name} `, type: 'PRODUCT' }),
    trimmed: ['name'],
    largest: { name: long(150) },
    changes: [{ name: ' New ' }, { type: 'PRODUCT' }, { name: 'New', type: 'PRODUCT' }],
    required: ['name', 'type'],
    wrong: [
      ...wrongNames,
      ['type must be one of SERVICE, PRODUCT', 'service', 'BOTH'],
      ['services is not a known field', []],
    ],
  },
];

let texts = 0;
const newText = () => `Text ${++texts}`;

async function make({ create, record, least }: Kind, body: Fields = {}, of = ours): Promise<Made> {
  const answer = await of.api.call(create, {
    ...idIn(create, undefined, of),
    body: { ...least(newText()), ...body },
  });
  return (answer as Record<string, Made>)[record]!;
}

/** Ids in a path: that of a record, and that of the company that has the notes. */
const idIn = ({ params }: Endpoint, id = 0, of = ours) => ({
  params: Object.fromEntries(
    Object.keys(params).map((name) => [name, name === 'companyId' ? companyIds.get(of)! : id]),
  ),
});

async function change({ update, record }: Kind, id: number, body: Fields, of = ours): Promise<Made> {
  const answer = await of.api.call(update!, { ...idIn(update!, id, of), body });
  return (answer as Record<string, Made>)[record]!;
}

/** Reads a record; without an endpoint that does, by a change of nothing. */
async function read(kind: Kind, id: number, of = ours): Promise<Made> {
  if (!kind.read) return change(kind, id, {}, of);
  return ((await of.api.call(kind.read, idIn(kind.read, id, of))) as Record<string, Made>)[kind.record]!;
}

/** Ids on the first page of the list, newest first, and the number of all. */
async function listed({ list, isAscending }: Kind, query: Fields & { limit?: number }, of = ours) {
  const { limit = 100 } = query;
  const parts = { ...idIn(list!, undefined, of), query: { ...query, limit: isAscending ? 100 : limit } };
  const answer = (await of.api.call(list!, parts)) as Record<string, unknown>;
  const ids = (Object.values(answer).find((value) => Array.isArray(value)) as Made[]).map(({ id }) => id);
  if (isAscending) ids.reverse().splice(limit);
  return { ids, totalCount: answer['totalCount'] as number };
}

/** Fields as they are shown after they were sent. */
const shown = ({ trimmed }: Kind, { response: _, ...fields }: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      trimmed.includes(name) && typeof value === 'string' ? value.trim() : value,
    ]),
  );

/** Fields that the service sets, as they are in a record. */
const own = (record: Fields) =>
  Object.fromEntries(
    ['id', 'companyId', 'userId', 'createdAt', 'updatedAt', 'scenario'].flatMap((name) =>
      name in record ? [[name, record[name]]] : [],
    ),
  );

/** Events of our organization, newest first. */
const history = () => ours.openLedger().ledger.page(events, { page: 1, limit: 2 });

describe.each(kinds)('a $label', (kind) => {
  const { label, called = label, create, update, least, all, changes, unique, firstNumber = 1 } = kind;
  const { api } = ours;
  let first: Made;
  beforeAll(async () => {
    first = await make(kind);
  });

  test('is made of all given fields, and read as it was answered', async () => {
    const given = all(newText());
    const began = Date.now();
    const made = await make(kind, given);
    expect(made).toEqual({ ...shown(kind, given), ...own(made) });
    const { createdAt, updatedAt } = made;
    expect(updatedAt).toBe(createdAt);
    if (createdAt !== undefined) expectMadeSince(began, createdAt as string);
    expect(await read(kind, made.id)).toEqual(made);
  });

  test('is made with defaults for the rest, and the next number of its organization', async () => {
    const made = await make(kind, least('First'), fresh.ours);
    expect(made).toEqual({ ...least('First'), ...kind.defaults('First'), ...own(made), id: firstNumber });
    expect(await make(kind, {}, fresh.ours)).toMatchObject({ id: firstNumber + 1 });
    expect(await make(kind, least('First'), fresh.theirs)).toMatchObject({ id: firstNumber });
  });

  test('may be as large as its contract says', async () => {
    const made = await make(kind, kind.largest);
    expect(made).toMatchObject(shown(kind, kind.largest));
    expect(await read(kind, made.id)).toEqual(made);
  });

  test('can be sent back as it was read: what the service sets is ignored', async () => {
    const made = await make(kind, all(newText()));
    const given = { ...(await read(kind, made.id)), ...(unique && { [unique.field]: newText() }) };
    const copy = await make(kind, given);
    expect(copy).toEqual({ ...given, ...own(copy) });
    expect(copy.id).toBe(made.id + 1);
  });

  test.each(changes)('is changed by %j, and keeps the rest', async (changes) => {
    const [before, other] = [await make(kind), await make(kind)];
    const after = await change(kind, before.id, changes);
    const changed = { ...before, ...shown(kind, changes) };
    expect(after).toEqual({ ...changed, ...own(after), id: before.id });
    if ('updatedAt' in after) expect(after['updatedAt']).not.toBe(before['updatedAt']);
    expect(await read(kind, before.id)).toEqual(after);
    expect(await read(kind, other.id)).toEqual(other);
  });

  test.runIf(update)('stays as it is, at no cost, where nothing else is sent back', async () => {
    const given = all(newText());
    const before = await make(kind, given);
    const { totalCount } = await history();
    const readOnly = { id: 99, ...('createdAt' in before && { createdAt: 0, updatedAt: null }) };
    for (const body of [{}, before, given, { id: 'x' }, readOnly]) {
      const { body: answer, cost } = await api.answer(update!, { ...idIn(update!, before.id), body });
      expect(answer).toEqual({ [kind.record]: before });
      expect(cost.writeUnits).toBe(0);
    }
    expect((await history()).totalCount).toBe(totalCount);
  });

  test('has an event when it is created, and when it is changed', async () => {
    const { id } = await make(kind);
    if (update) await change(kind, id, changes[0]!);
    const kindOf = label.toUpperCase();
    const expected = [
      ...(update ? [{ event: `${kindOf}_UPDATED`, data: `The ${called} was changed` }] : []),
      { event: `${kindOf}_CREATED`, data: `The ${called} was created` },
    ].map((event) => ({ ...event, referenceId: String(id), userId: ours.userId }));
    expect((await history()).items.slice(0, expected.length)).toMatchObject(expected);
  });

  test.each(
    kind.wrong.flatMap(([problem, ...values]) => values.map((value, at) => [problem, value, at] as const)),
  )('is refused where %s: %j', async (problem, value, at) => {
    const [field = ''] = problem.split(/[. ]/);
    const body = { ...least('Never'), ...kind.beside, [field]: value };
    await api.refuses(create, { ...idIn(create), body }, problem);
    // A change has the rules of what is made.
    if (update && at === 0) await api.refuses(update, { ...idIn(update, first.id), body }, problem);
  });

  test('that was refused is neither made nor changed', async () => {
    expect(await read(kind, first.id)).toEqual(first);
    await make(kind, least('Never'));
  });

  test('needs its required fields, and has all its problems named', async () => {
    const refuses = (body: Fields, ...problems: string[]) =>
      api.refuses(create, { ...idIn(create), body }, ...problems);
    for (const field of kind.required)
      for (const missing of [undefined, null])
        await refuses({ ...least('None'), [field]: missing }, `${field} is required`);
    const missing = kind.required.map((field) => `${field} is required`);
    await refuses({ oops: 1 }, ...missing, 'oops is not a known field');
  });

  test.runIf(kind.list)('is in the list, newest first', async () => {
    const made = [await make(kind), await make(kind)];
    const [page, all] = [await listed(kind, { limit: 2 }), await listed(kind, { limit: 100 })];
    expect(page).toEqual({ ids: made.map(({ id }) => id).reverse(), totalCount: all.ids.length });
    expect((await listed(kind, {}, theirs)).ids).not.toContain(made[1]!.id);
  });

  test.runIf(kind.state)('is listed among those in use, or among the others', async () => {
    const { state = '' } = kind;
    const [inUse, other] = [await make(kind, { [state]: true }), await make(kind, { [state]: false })];
    const both = async () =>
      Promise.all(['true', 'false'].map((given) => listed(kind, { [state]: given, limit: 2 })));
    const before = await both();
    expect(before.map(({ ids }) => ids[0])).toEqual([inUse.id, other.id]);
    expect((await listed(kind, {})).totalCount).toBe(before[0]!.totalCount + before[1]!.totalCount);
    await change(kind, inUse.id, { [state]: false });
    const [used, others] = await both();
    expect(used!.totalCount).toBe(before[0]!.totalCount - 1);
    expect(used!.ids).not.toContain(inUse.id);
    expect(others).toEqual({ ids: [inUse.id, other.id], totalCount: before[1]!.totalCount + 1 });
    await api.refuses(kind.list!, { query: { [state]: 'yes' } }, `${state} must be true or false`);
  });

  test.runIf(kind.list && kind.unique?.elsewhere)(
    'is listed by its category, and by its state there',
    async () => {
      const { state = '' } = kind;
      const elsewhere = kind.unique!.elsewhere!;
      const where = { tradeCategoryId: String(elsewhere['tradeCategoryId']) };
      const [first, moved] = [await make(kind, elsewhere), await make(kind)];
      const before = await listed(kind, where);
      await change(kind, moved.id, elsewhere);
      await change(kind, first.id, { [state]: false });
      const [all, inUse, others] = await Promise.all(
        [{}, { [state]: 'true' }, { [state]: 'false' }].map((given) => listed(kind, { ...where, ...given })),
      );
      expect(all).toEqual({ ids: [moved.id, ...before.ids], totalCount: before.totalCount + 1 });
      expect(inUse!.ids).toEqual([moved.id, ...before.ids.filter((id) => !others!.ids.includes(id))]);
      expect(others!.ids[0]).toBe(first.id);
      expect(inUse!.totalCount + others!.totalCount).toBe(all!.totalCount);
      expect(await listed(kind, { tradeCategoryId: '999' })).toEqual({ ids: [], totalCount: 0 });
      const query = { tradeCategoryId: 'x' };
      await api.refuses(kind.list!, { query }, 'tradeCategoryId must be a whole number from 1');
    },
  );

  test.runIf(kind.remove)('is gone once it is deleted; its number is not given again', async () => {
    const [kept, { id }] = [await make(kind), await make(kind)];
    const before = await listed(kind, {});
    await theirs.api.lacks(kind.remove!, idIn(kind.remove!, id, theirs), label);
    expect(await api.call(kind.remove!, idIn(kind.remove!, id))).toEqual({
      message: `${pascal(label)} deleted successfully`,
    });
    expect((await history()).items[0]).toMatchObject({
      ...{ event: `${label.toUpperCase()}_DELETED`, data: `The ${called} was deleted` },
      ...{ referenceId: String(id), userId: ours.userId },
    });
    for (const endpoint of [kind.read!, update!, kind.remove!])
      await api.lacks(endpoint, { ...idIn(endpoint, id), ...(endpoint === update && { body: {} }) }, label);
    expect(await listed(kind, {})).toEqual({
      ids: before.ids.filter((one) => one !== id),
      totalCount: before.totalCount - 1,
    });
    expect(await read(kind, kept.id)).toEqual(kept);
    expect((await make(kind)).id).toBe(id + 1);
  });

  test.runIf(update)('of another organization is unknown, whatever is sent, and stays as it is', async () => {
    const [one, other] = [await make(kind), await make(kind)];
    // Both organizations have a record with this number.
    const { id } = await make(kind, {}, theirs);
    const known = await read(kind, id);
    for (const body of [{}, changes[0]!, other, { ...kind.reference }])
      await theirs.api.lacks(update!, { ...idIn(update!, other.id, theirs), body }, label);
    await change(kind, id, changes[0]!, theirs);
    for (const record of [one, other, known]) expect(await read(kind, record.id)).toEqual(record);
  });

  test.runIf(kind.reference)('may not name what only another organization has', async () => {
    const [name = ''] = Object.keys(kind.reference!);
    const problem = `${name} names no ${name === 'scenarioId' ? 'scenario' : 'category'} of the organization`;
    const body = { ...least('Stray'), ...kind.reference };
    await theirs.api.refuses(create, { body }, problem);
    if (!update) return;
    const { id } = await make(kind, {}, theirs);
    await theirs.api.refuses(update, { ...idIn(update, id, theirs), body }, problem);
  });
});

/** Texts that are alike, apart from case. */
const alike = [
  ['Zoë’s Tap', 'Zoë’s Tap'],
  ['Blocked Sink', 'BLOCKED sink'],
  ['Blocked Gutter', '  blocked gutter '],
  ['Caf\u00e9', 'CAFE\u0301'],
  ['\u041a\u0440\u0430\u043d', '\u043a\u0440\u0410\u041d'],
  // In lower case this letter with its caron is one character, in upper case two.
  ['\u01f0', 'J\u030c'],
  ['Stra\u00dfe', 'STRASSE'],
  ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
  ['\ufb01re', 'FIRE'],
] as const;

describe.each(kinds.flatMap((kind) => (kind.unique ? [{ ...kind, ...kind.unique }] : [])))(
  'the $field of a $label',
  (kind) => {
    const { create, update, least, field, message, elsewhere } = kind;
    const { api } = ours;
    /** Expects that no record with this text can be made, since another has it. */
    const isTaken = async (text: string, { id }: Made, others: Fields = {}) => {
      const body = { ...least(''), ...others, [field]: text };
      expect(await api.failure(create, 409, { body })).toEqual(conflict(id));
    };
    const conflict = (existingId: number) => ({
      ...{ status: 409, message, details: [{ field, message: 'is taken' }], existingId },
    });

    test.each(alike)('is unique, in any case: %s, %s', async (text, again) => {
      const made = await make(kind, { [field]: text });
      await isTaken(again, made);
    });

    test('is free elsewhere, and in another organization', async () => {
      const made = await make(kind, { [field]: 'Elsewhere' });
      if (elsewhere) await make(kind, { ...elsewhere, [field]: 'Elsewhere' });
      await make(kind, { [field]: 'Elsewhere' }, theirs);
      await isTaken('Elsewhere', made);
    });

    test('goes to one of two that come at once', async () => {
      const body = least('At once');
      const answers = await Promise.all([1, 2].map(() => api.attempt(create, { body })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    });

    test.runIf(update)('is free again once its record has another, or is elsewhere', async () => {
      const first = await make(kind, { [field]: 'Pump' });
      await change(kind, first.id, { [field]: 'Big pump' });
      const second = await make(kind, { [field]: 'PUMP' });
      await isTaken('big PUMP', first);
      if (!elsewhere) return;
      await change(kind, second.id, elsewhere);
      await make(kind, { [field]: 'pump' });
      await isTaken('pump', second, elsewhere);
    });

    test.runIf(update)('that is taken leaves the refused record unchanged', async () => {
      const taken = await make(kind, { [field]: 'Filter' });
      const renamed = await make(kind, { [field]: 'Grille' });
      const attempts: [Made, Fields, Fields?][] = [[renamed, { [field]: 'FILTER' }]];
      if (elsewhere) {
        const moved = await make(kind, { ...elsewhere, [field]: 'Filter' });
        attempts.push([moved, least('Filter'), elsewhere]);
      }
      for (const [record, body, where] of attempts) {
        const answer = await api.failure(update!, 409, { ...idIn(update!, record.id), body });
        expect(answer).toEqual(conflict(taken.id));
        expect(await read(kind, record.id)).toEqual(record);
        await isTaken(String(record[field]), record, where);
      }
    });

    test.runIf(update)('may change its case, and stays taken', async () => {
      const { id } = await make(kind, { [field]: 'Cistern' });
      const changed = await change(kind, id, { [field]: 'CISTERN' });
      expect(changed).toMatchObject({ [field]: 'CISTERN' });
      await isTaken('cistern', changed);
    });
  },
);
