import { describe, expect, test } from 'vitest';
import { findContracts, pascal } from '../../infra/functions.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { events } from '../../shared/ledger/index.ts';
import { twoOrganizations } from '../support/test-organization.ts';
import { expectMadeSince } from '../support/expect-made-since.ts';

/* What products, services, transfer rules, policies, FAQs and notes have in common: `kinds` tells the difference. */

const { ours, theirs } = await twoOrganizations();
/** Each kind is tested once in these organizations, so that its first record has the number 1. */
const fresh = await twoOrganizations();

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

const { operations } = await findContracts();
const named = (name: string): Endpoint =>
  operations.find(({ operationId }) => operationId === name)!.endpoint;
const endpointsOf = (subject: string, plural: string) => ({
  create: named(`create${subject}`),
  update: named(`update${subject}`),
  read: named(`get${subject}`),
  list: named(`list${plural}`),
  remove: named(`delete${subject}`),
});

type Fields = Record<string, unknown>;
type Made = Fields & { id: number };

interface Kind extends ReturnType<typeof endpointsOf> {
  /** Name in messages, and in the sentences of events. */
  label: string;
  called?: string;
  /** Name in answers. */
  record: string;
  /** True if the list is by id ascending. */
  isAscending?: true;
  /** Number of the first record that is made; 1 if undefined. */
  firstNumber?: number;
  /** Field that says whether the record is in use. The list can be filtered by this field. */
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
  /** Field with a unique text, and the conflict's message; and another place where the text is free. */
  unique?: { field: string; message: string; elsewhere?: Fields };
  /** A field that names a record which only our organization has. */
  reference?: Fields;
  /**
   * Wrong values that the description does not exclude: the problem, then its values. Other fields of the bodies come
   * from `beside`.
   */
  beside?: Fields;
  wrong?: [problem: string, ...values: unknown[]][];
}

const long = (length: number) => '€'.repeat(length);
/** A name with the longest key: each character becomes six bytes. */
const longestName = '\uFB2C'.repeat(150);
const faq = { question: 'Q', answer: 'A' };
const largestFaqs = Array.from({ length: 10 }, () => ({ question: long(255), answer: long(1000) }));
const noCategory = 'tradeCategoryId names no category of the organization';
const noPrices = { fixedPrice: 0, hourlyRate: 0, callOutFee: 0, minPrice: 0, maxPrice: 0 };

const kinds: Kind[] = [
  {
    label: 'product',
    record: 'product',
    ...endpointsOf('Product', 'Products'),
    state: 'isActive',
    least: (name) => ({ name, tradeCategoryId: 2, pricingType: 'NONE' }),
    defaults: () => ({
      description: '',
      price: 0,
      maxPrice: 0,
      isDisclosePrice: false,
      faqs: [],
      isActive: true,
    }),
    all: (text) => ({
      name: `  ${text} `,
      description: ' Gas\nstorage ',
      tradeCategoryId: 2,
      pricingType: 'RANGE',
      price: 1450.5,
      maxPrice: 1900,
      isDisclosePrice: true,
      isActive: false,
      faqs: [{ question: 'Is the old one\ntaken away?', answer: ' Yes. ' }],
    }),
    trimmed: ['name'],
    largest: {
      name: longestName,
      description: long(2000),
      response: long(5000),
      faqs: largestFaqs,
      pricingType: 'RANGE',
      price: 999_999_999.99,
      maxPrice: 1_000_000_000,
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
    reference: { tradeCategoryId: moreGoods },
    beside: { pricingType: 'RANGE', price: 10, maxPrice: 20 },
    wrong: [
      [noCategory, 999_999_999_999],
      ['tradeCategoryId names a category of type SERVICE, not of type PRODUCT', 1],
      ['faqs.0 must be an object', ['Q']],
      ['faqs.1.answer is required', [faq, { question: 'Q' }]],
      ['faqs.0.id is not a known field', [{ ...faq, id: 1 }]],
    ],
  },
  {
    label: 'transfer',
    called: 'transfer rule',
    record: 'transfer',
    ...endpointsOf('Transfer', 'Transfers'),
    state: 'isEnabled',
    least: (label) => ({
      label,
      method: 'WARM',
      destinationType: 'DEPARTMENT',
      destination: 'Emergencies',
      conditions: 'Water is running',
    }),
    defaults: (label) => ({
      name: label,
      summaryFormat: '',
      settings: { ignore_business_hours: false },
      isEnabled: true,
      scenarioId: null,
    }),
    all: (text) => ({
      label: ` ${text} `,
      name: 'Somebody is under water',
      method: 'COLD',
      destinationType: 'PHONE_NUMBER',
      destination: '+61491570156',
      conditions: ' Water is running,\nand cannot be turned off',
      summaryFormat: ' {name} called about {topic}:\n{summary}',
      settings: { ignore_business_hours: true },
      isEnabled: false,
      scenarioId,
    }),
    trimmed: ['label'],
    largest: {
      label: longestName,
      name: longestName,
      destination: long(200),
      conditions: long(2000),
      summaryFormat: long(1000),
    },
    changes: [
      {
        name: 'All boilers',
        method: 'COLD',
        destinationType: 'MEMBER',
        destination: '1',
        conditions: 'Always',
        summaryFormat: '',
        isEnabled: false,
      },
      // The name stays.
      { label: 'Roofs' },
    ],
    unique: { field: 'label', message: 'Another transfer has this label' },
    reference: { scenarioId },
    wrong: [
      ['settings.ignore_business_hours must be true or false', { ignore_business_hours: 'no' }],
      [
        'settings.ignoreBusinessHours is not a known field; did you mean settings.ignore_business_hours?',
        { ignoreBusinessHours: true },
      ],
      ['scenarioId names no scenario of the organization', 999_999_999_999],
    ],
  },
  {
    label: 'policy',
    record: 'policy',
    ...endpointsOf('Policy', 'Policies'),
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
  },
  {
    label: 'FAQ',
    record: 'faq',
    ...endpointsOf('Faq', 'Faqs'),
    state: 'isActive',
    least: (question) => ({ question, answer: 'So' }),
    defaults: () => ({ isActive: true }),
    all: (text) => ({ question: ` ${text}\n `, answer: ' Emergencies only.\nCall us. ', isActive: false }),
    trimmed: [],
    largest: { question: long(255), answer: long(5000) },
    changes: [{ answer: ' New\nanswer ' }, { question: 'New?', isActive: false }],
  },
  {
    label: 'note',
    record: 'note',
    ...endpointsOf('CompanyNote', 'CompanyNotes'),
    least: (value) => ({ value }),
    defaults: () => ({ companyId: companyIds.get(fresh.ours), userId: fresh.ours.userId }),
    all: (text) => ({ value: ` ${text}\nbefore noon ` }),
    trimmed: [],
    largest: { value: long(10_000) },
    changes: [{ value: ' New\nnote ' }],
  },
  // Behind transfer rules, which name a scenario that the other organization does not have.
  {
    label: 'service',
    record: 'service',
    ...endpointsOf('Service', 'Services'),
    state: 'isActive',
    least: (name) => ({ name, tradeCategoryId: 1 }),
    defaults: () => ({
      description: '',
      duration: 60,
      durationUnit: 'MINUTES',
      followUpQuestions: [],
      isActive: true,
      pricingMode: 'NONE',
      ...noPrices,
      plusGST: false,
      plusMaterials: false,
      isDisclosePrice: false,
      isCustomPriceResponseActive: false,
      customPriceResponse: null,
      teamAssignmentMethod: 'PRIORITY_ORDER',
      bufferBefore: 0,
      bufferAfter: 0,
      leastNotice: 0,
      furthestDay: 90,
    }),
    all: (text) => ({
      name: `  ${text} `,
      description: 'All\nof it',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['Where?'],
      tradeCategoryId: 1,
      teamAssignmentMethod: 'ROUND_ROBIN',
      pricingMode: 'FIXED',
      ...noPrices,
      fixedPrice: 180.5,
      callOutFee: 89.95,
      bufferBefore: 15,
      bufferAfter: 1440,
      leastNotice: 43_200,
      furthestDay: 0,
      plusGST: true,
      plusMaterials: true,
      isDisclosePrice: true,
      isActive: false,
      isCustomPriceResponseActive: true,
      customPriceResponse: 'It depends',
    }),
    trimmed: ['name'],
    largest: {
      name: longestName,
      description: long(1400),
      duration: 100_000,
      durationUnit: 'DAYS',
      followUpQuestions: Array.from({ length: 10 }, () => long(200)),
      pricingMode: 'RANGE',
      minPrice: 0.01,
      maxPrice: 1_000_000_000,
      callOutFee: 999_999_999.99,
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
    reference: { tradeCategoryId: moreServices },
    wrong: [
      [noCategory, 999_999_999_999],
      ['tradeCategoryId names a category of type PRODUCT, not of type SERVICE', 2],
      ['followUpQuestions.0 must be a string', [7], [null]],
      ['followUpQuestions.1 must not be empty', ['Where?', ' ']],
      ['followUpQuestions.1 must be at most 200 long', ['Where?', 'x'.repeat(201)]],
    ],
  },
  // Last: others name categories that the other organization does not have.
  {
    label: 'category',
    record: 'category',
    ...endpointsOf('Category', 'Categories'),
    isAscending: true,
    // Every organization begins with two.
    firstNumber: 3,
    least: (name) => ({ name, type: 'SERVICE' }),
    defaults: () => ({}),
    all: (name) => ({ name: ` ${name} `, type: 'PRODUCT' }),
    trimmed: ['name'],
    largest: { name: long(150) },
    changes: [{ name: ' New ' }, { type: 'PRODUCT' }, { name: 'New', type: 'PRODUCT' }],
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

/** Ids in a path: the record's id, and the id of the company that has the notes. */
const idIn = ({ params }: Endpoint, id = 0, of = ours) => ({
  params: Object.fromEntries(
    Object.keys(params).map((name) => [name, name === 'companyId' ? companyIds.get(of)! : id]),
  ),
});

async function change({ update, record }: Kind, id: number, body: Fields, of = ours): Promise<Made> {
  const answer = await of.api.call(update, { ...idIn(update, id, of), body });
  return (answer as Record<string, Made>)[record]!;
}

const read = async ({ read, record }: Kind, id: number) =>
  ((await ours.api.call(read, idIn(read, id))) as Record<string, Made>)[record]!;

/** Ids on the first page of the list, newest first, and the number of all. */
async function listed({ list, isAscending }: Kind, query: Fields & { limit?: number }, of = ours) {
  const { limit = 100 } = query;
  const parts = { ...idIn(list, undefined, of), query: { ...query, limit: isAscending ? 100 : limit } };
  const answer = (await of.api.call(list, parts)) as Record<string, unknown>;
  const ids = (Object.values(answer).find((value) => Array.isArray(value)) as Made[]).map(({ id }) => id);
  if (isAscending) ids.reverse().splice(limit);
  return { ids, totalCount: answer['totalCount'] as number };
}

/** Fields as the API shows them after they were sent. */
const shown = ({ trimmed }: Kind, { response: _, ...fields }: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      trimmed.includes(name) && typeof value === 'string' ? value.trim() : value,
    ]),
  );

/** Fields of a record that the service sets. */
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

  test('is made of all given fields, read as it was answered, and can be sent back', async () => {
    const given = all(newText());
    const began = Date.now();
    const made = await make(kind, given);
    expect(made).toEqual({ ...shown(kind, given), ...own(made) });
    const { createdAt, updatedAt } = made;
    expect(updatedAt).toBe(createdAt);
    if (createdAt !== undefined) expectMadeSince(began, createdAt as string);
    expect(await read(kind, made.id)).toEqual(made);
    // Fields that the service sets are ignored in a body.
    const again = { ...made, ...(unique && { [unique.field]: newText() }) };
    const copy = await make(kind, again);
    expect(copy).toEqual({ ...again, ...own(copy), id: made.id + 1 });
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

  test.each(changes)('is changed by %j, and keeps the rest', async (changes) => {
    const [before, other] = [await make(kind), await make(kind)];
    const after = await change(kind, before.id, changes);
    const changed = { ...before, ...shown(kind, changes) };
    expect(after).toEqual({ ...changed, ...own(after), id: before.id });
    if ('updatedAt' in after) expect(after['updatedAt']).not.toBe(before['updatedAt']);
    expect(await read(kind, before.id)).toEqual(after);
    expect(await read(kind, other.id)).toEqual(other);
  });

  test('stays as it is, at no cost, where nothing else is sent back', async () => {
    const given = all(newText());
    const before = await make(kind, given);
    const { totalCount } = await history();
    const old = 'updatedAt' in before && { updatedAt: null };
    for (const body of [{}, before, given, { id: before.id, ...old }]) {
      const { body: answer, cost } = await api.answer(update, { ...idIn(update, before.id), body });
      expect(answer).toEqual({ [kind.record]: before });
      expect(cost.writeUnits).toBe(0);
    }
    expect((await history()).totalCount).toBe(totalCount);
  });

  test('is listed newest first, and gone once it is deleted; each has an event', async () => {
    const [kept, { id }] = [await make(kind), await make(kind)];
    await change(kind, id, changes[0]!);
    const events = ['UPDATED', 'CREATED'].map((verb) => ({
      event: `${label.toUpperCase()}_${verb}`,
      data: `The ${called} was ${verb === 'CREATED' ? 'created' : 'changed'}`,
      referenceId: String(id),
      userId: ours.userId,
    }));
    expect((await history()).items).toMatchObject(events);
    const before = await listed(kind, {});
    expect(await listed(kind, { limit: 2 })).toEqual({ ...before, ids: [id, kept.id] });
    expect(await api.call(kind.remove, idIn(kind.remove, id))).toEqual({
      message: `${pascal(label)} deleted successfully`,
    });
    expect((await history()).items[0]).toMatchObject({
      event: `${label.toUpperCase()}_DELETED`,
      data: `The ${called} was deleted`,
      referenceId: String(id),
      userId: ours.userId,
    });
    for (const endpoint of [kind.read, update, kind.remove])
      await api.lacks(endpoint, { ...idIn(endpoint, id), ...(endpoint === update && { body: {} }) }, label);
    expect(await listed(kind, {})).toEqual({
      ids: before.ids.filter((one) => one !== id),
      totalCount: before.totalCount - 1,
    });
    expect(await read(kind, kept.id)).toEqual(kept);
    expect((await make(kind)).id).toBe(id + 1);
  });

  test.runIf(kind.wrong)(
    'is refused what its rules exclude, and is then neither made nor changed',
    async () => {
      const first = await make(kind);
      const { totalCount } = await history();
      for (const [problem, ...values] of kind.wrong!) {
        const [field = ''] = problem.split(/[. ]/);
        for (const value of values) {
          const body = { ...least('Never'), ...kind.beside, [field]: value };
          await api.refuses(create, { body }, problem);
          await api.refuses(update, { ...idIn(update, first.id), body }, problem);
        }
      }
      expect(await read(kind, first.id)).toEqual(first);
      expect((await history()).totalCount).toBe(totalCount);
    },
  );

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
    await api.refuses(kind.list, { query: { [state]: 'yes' } }, `${state} must be true or false`);
  });

  test.runIf(kind.unique?.elsewhere)('is listed by its category, and by its state there', async () => {
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
    await api.refuses(kind.list, { query }, 'tradeCategoryId must be a whole number from 1');
  });

  test.runIf(kind.reference)('may not name what only another organization has', async () => {
    const [name = ''] = Object.keys(kind.reference!);
    const problem = `${name} names no ${name === 'scenarioId' ? 'scenario' : 'category'} of the organization`;
    await theirs.api.refuses(create, { body: { ...least('Stray'), ...kind.reference } }, problem);
    const { id } = await make(kind, {}, theirs);
    const ofOurs = await read(kind, id);
    await theirs.api.refuses(update, { ...idIn(update, id, theirs), body: kind.reference }, problem);
    await change(kind, id, changes[0]!, theirs);
    expect(await read(kind, id)).toEqual(ofOurs);
  });
});

describe.each(kinds.flatMap((kind) => (kind.unique ? [{ ...kind, ...kind.unique }] : [])))(
  'the $field of a $label',
  (kind) => {
    const { create, update, least, field, message, elsewhere } = kind;
    const { api } = ours;
    /** Expects that no record with this text can be made, because another has it. */
    const expectTaken = async (text: string, { id }: Made, others: Fields = {}) => {
      const body = { ...least(''), ...others, [field]: text };
      expect(await api.failure(create, 409, { body })).toEqual(conflict(id));
    };
    const conflict = (existingId: number) => ({
      status: 409,
      message,
      details: [{ field, message: 'is taken' }],
      existingId,
    });

    test('is unique, in any case and with any marks, and free elsewhere and in another organization', async () => {
      const made = await make(kind, { [field]: 'Elsewhere' });
      if (elsewhere) await make(kind, { ...elsewhere, [field]: 'Elsewhere' });
      await make(kind, { [field]: 'Elsewhere' }, theirs);
      for (const text of ['Elsewhere', ' ELSEwhere ']) await expectTaken(text, made);
      expect(await change(kind, made.id, { [field]: 'ELSEWHERE' })).toMatchObject({ [field]: 'ELSEWHERE' });
      await expectTaken('elsewhere', made);
      const typed = await make(kind, { [field]: 'Men’s  pump – large' });
      expect(typed[field]).toBe('Men’s  pump – large');
      await expectTaken("men's pump - Large", typed);
      // Of two that come at once, one gets it.
      const body = least('At once');
      const answers = await Promise.all([1, 2].map(() => api.attempt(create, { body })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    });

    test('is free again once its record has another, or is elsewhere', async () => {
      const first = await make(kind, { [field]: 'Pump' });
      await change(kind, first.id, { [field]: 'Big pump' });
      const second = await make(kind, { [field]: 'PUMP' });
      await expectTaken('big PUMP', first);
      if (!elsewhere) return;
      await change(kind, second.id, elsewhere);
      await make(kind, { [field]: 'pump' });
      await expectTaken('pump', second, elsewhere);
    });

    test('that is taken leaves the refused record unchanged', async () => {
      const taken = await make(kind, { [field]: 'Filter' });
      const renamed = await make(kind, { [field]: 'Grille' });
      const attempts: [Made, Fields, Fields?][] = [[renamed, { [field]: 'FILTER' }]];
      if (elsewhere) {
        const moved = await make(kind, { ...elsewhere, [field]: 'Filter' });
        attempts.push([moved, least('Filter'), elsewhere]);
      }
      for (const [record, body, where] of attempts) {
        const answer = await api.failure(update, 409, { ...idIn(update, record.id), body });
        expect(answer).toEqual(conflict(taken.id));
        expect(await read(kind, record.id)).toEqual(record);
        await expectTaken(String(record[field]), record, where);
      }
    });
  },
);
