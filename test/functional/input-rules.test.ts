import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { createFaqEndpoint } from '../../shared/contract/faqs.ts';
import { createLeadEndpoint, getLeadEndpoint, listLeadsEndpoint } from '../../shared/contract/leads.ts';
import {
  createProductEndpoint,
  updateProductEndpoint,
  updateProductsEndpoint,
} from '../../shared/contract/products.ts';
import { createServiceEndpoint } from '../../shared/contract/services.ts';
import { createTransferEndpoint, updateTransferEndpoint } from '../../shared/contract/transfers.ts';
import { products } from '../../shared/domain/products/products.ts';
import { transfers } from '../../shared/domain/transfers/transfers.ts';
import { findContracts } from '../../infra/functions.ts';
import { newService } from '../support/services.ts';
import { setup, type World } from '../support/world.ts';
import type { Collection, RecordOf } from '../../shared/ledger/index.ts';

const { operations } = await findContracts();

let world: World;
beforeAll(async () => {
  world = await setup();
});

const json = { 'Content-Type': 'application/json' };
const post = (body: string, headers: Record<string, string> = json) =>
  world.ours.api.send('POST', '/v1/leads', { headers, body });
const problem = (field: string, message: string) => ({
  status: 400,
  message: field === '' ? message : `${field} ${message}`,
  details: [{ field, message }],
});

describe('a query parameter', () => {
  // Forms take any other parameter as a field.
  const refusing = operations.filter(({ endpoint }) => endpoint.scope !== 'public' && !endpoint.takesForms);
  const pathOf = ({ path, example }: Endpoint) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example.params?.[name] ?? '');

  test.each(refusing)('that $operationId does not know is refused', async ({ endpoint }) => {
    const { method, example } = endpoint;
    const answer = await world.ours.api.send(method, `${pathOf(endpoint)}?colour=red`, {
      ...(endpoint.body && { headers: json, body: JSON.stringify(example.body) }),
    });
    expect(answer).toMatchObject({ body: { error: problem('colour', 'is not a known query parameter') } });
  });

  test.each(['limit=10&limit=10', 'limit=10&limit=20', 'page=1&limit=5&page=2'])(
    'that is given twice is refused: %s',
    async (query) => {
      const field = query.startsWith('page') ? 'page' : 'limit';
      const answer = await world.ours.api.send('GET', `/v1/leads?${query}`);
      expect(answer).toMatchObject({ body: { error: problem(field, 'is given more than once') } });
    },
  );

  test.each(['050', '+5', ' 5', '5.0', '0x5', '5e0', '', '-0', '٥'])(
    'limit of "%s" is no number',
    async (limit) => {
      expect(await world.ours.api.failure(listLeadsEndpoint, 400, { query: { limit } })).toEqual(
        problem('limit', 'must be a whole number'),
      );
    },
  );

  test('of a public page is ignored', async () => {
    expect(await world.ours.api.send('GET', '/openapi?utm_source=mail')).toMatchObject({ status: 200 });
  });
});

describe('unknown fields', () => {
  test('are all named, at any depth, after other problems', async () => {
    const body = { nmae: 'Ann', socials: {}, emial: 'x', phnoe: 'y', suburb: 7 };
    const { details } = await world.ours.api.failure(createLeadEndpoint, 400, { body });
    expect(details?.map(({ field }) => field)).toEqual(['suburb', 'firstName', 'nmae', 'emial', 'phnoe']);

    const product = { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' };
    const faqs = [
      { question: 'Q', answer: 'A', id: 1, rank: 2 },
      { question: 'Q', answer: 'A', x: 1 },
    ];
    const error = await world.ours.api.failure(createProductEndpoint, 400, {
      body: { ...product, faqs, y: 1 },
    });
    expect(error.details?.map(({ field }) => field)).toEqual(['faqs.0.id', 'faqs.0.rank', 'faqs.1.x', 'y']);
  });

  test('beyond 50 are counted', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]));
    const { message, details } = await world.ours.api.failure(createLeadEndpoint, 400, {
      body: { name: 'Ann', ...unknown },
    });
    expect(details).toHaveLength(50);
    expect(message).toBe('x0 is not a known field, and 950 more');
  });
});

describe('null', () => {
  test('in place of a value counts as left out', async () => {
    const { api } = world.ours;
    const body = { name: 'Nul', lastName: null, email: null, phone: null, socials: null, status: null };
    const { lead } = await api.call(createLeadEndpoint, { body });
    expect(lead).toMatchObject({ firstName: 'Nul', email: '', phone: '', socials: {}, status: 'pending' });
    const { lead: other } = await api.call(createLeadEndpoint, {
      body: { name: 'Nul', socials: { facebook: null, x: 'y' } },
    });
    expect(other.socials).toEqual({ x: 'y' });
    const { product } = await api.call(createProductEndpoint, {
      body: {
        name: 'Null',
        tradeCategoryId: 2,
        pricingType: 'NONE',
        price: null,
        faqs: null,
        isActive: null,
      },
    });
    const params = { productId: product.id };
    const nothing = { name: null, description: null, pricingType: null, isActive: null };
    expect(await api.call(updateProductEndpoint, { params, body: nothing })).toEqual({ product });
    const updates = [
      { id: product.id, name: null, pricing: { price: null }, faqs: null },
      { id: product.id, pricing: null },
    ];
    expect((await api.call(updateProductsEndpoint, { body: { updates } })).summary.succeeded).toBe(2);
  });

  test('in place of a required value is a missing one', async () => {
    const body = { question: null, answer: 'A' };
    expect(await world.ours.api.failure(createFaqEndpoint, 400, { body })).toEqual(
      problem('question', 'is required'),
    );
    const settings = { ...transfer, label: 'Null', settings: { ignore_business_hours: null } };
    expect((await world.ours.api.call(createTransferEndpoint, { body: settings })).transfer.settings).toEqual(
      {
        ignore_business_hours: false,
      },
    );
  });

  test('clears what is nullable when it is read', async () => {
    const { api } = world.ours;
    const { scenario, ...service } = await newService(world.ours, { customPriceResponse: 'It depends' });
    expect(service.customPriceResponse).toBe('It depends');
    expect((await newService(world.ours, { customPriceResponse: null })).customPriceResponse).toBeNull();
    const body = { ...transfer, label: 'Linked', scenarioId: scenario.id };
    const { transfer: linked } = await api.call(createTransferEndpoint, { body });
    const params = { transferId: linked.id };
    const cleared = await api.call(updateTransferEndpoint, {
      params,
      body: { scenarioId: null, label: null },
    });
    expect(cleared.transfer).toMatchObject({ scenarioId: null, label: 'Linked' });
  });

  test('among the elements of an array is an element', async () => {
    const body = { name: 'Null within', tradeCategoryId: 1, followUpQuestions: [null] };
    expect(await world.ours.api.failure(createServiceEndpoint, 400, { body })).toEqual(
      problem('followUpQuestions.0', 'must be a string'),
    );
  });
});

const transfer = {
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Office',
  conditions: 'Asks for it',
};

describe('a phone number', () => {
  test.each([
    ['0061 491 570 006', '+61491570006'],
    ['0011 61 491 570 110', '+61491570110'],
    ['+61 (0)491 570 313', '+61491570313'],
  ])('%s is stored as %s', async (phone, expected) => {
    const { lead } = await world.ours.api.call(createLeadEndpoint, { body: { name: 'Ann', phone } });
    expect(lead.phone).toBe(expected);
    const again = await world.ours.api.failure(createLeadEndpoint, 409, {
      body: { name: 'Ann', phone: expected },
    });
    expect(again).toMatchObject({
      existingId: lead.id,
      details: [{ field: 'phone', message: 'is taken' }],
    });
  });

  test.each([
    ['12345', 'must be a phone number, either national or starting with +'],
    ['0491 570 15', 'must be a phone number, either national or starting with +'],
    ['0491 570 156 ext. 12', 'must be a phone number without an extension'],
  ])('%s %s', async (phone, message) => {
    const error = await world.ours.api.failure(createLeadEndpoint, 400, { body: { name: 'Ann', phone } });
    expect(error).toEqual(problem('phone', message));
  });
});

describe('the destination of a transfer rule', () => {
  const noMember = problem('destination', 'names no member of the organization');
  const noNumber = problem('destination', 'must be a phone number, either national or starting with +');
  let label = 0;
  const create = async (changes: object) =>
    (
      await world.ours.api.call(createTransferEndpoint, {
        body: { ...transfer, label: `Rule ${++label}`, ...changes },
      })
    ).transfer;
  const refused = (changes: object) =>
    world.ours.api.failure(createTransferEndpoint, 400, {
      body: { ...transfer, label: 'Never', ...changes },
    });
  const change = (transferId: number, body: object) =>
    world.ours.api.attempt(updateTransferEndpoint, { params: { transferId }, body });

  test('must be a valid phone number or an existing member', async () => {
    const phone = await create({ destinationType: 'PHONE_NUMBER', destination: '(02) 5550 1234' });
    expect(phone.destination).toBe('+61255501234');
    expect((await create({ destinationType: 'MEMBER', destination: '1' })).destination).toBe('1');
    expect(await refused({ destinationType: 'PHONE_NUMBER', destination: 'Office' })).toEqual(noNumber);
    for (const destination of ['2', '01', '0', 'Mia', world.ours.userId, world.theirs.userId]) {
      expect(await refused({ destinationType: 'MEMBER', destination })).toEqual(noMember);
    }
  });

  test('is checked with its type when either changes', async () => {
    const { id } = await create({});
    const asPhone = await change(id, { destinationType: 'PHONE_NUMBER' });
    expect(asPhone).toMatchObject({ status: 400, body: { error: noNumber } });
    const asMember = await change(id, { destinationType: 'MEMBER' });
    expect(asMember).toMatchObject({ status: 400, body: { error: noMember } });
    const both = await change(id, { destinationType: 'PHONE_NUMBER', destination: '0491 570 156' });
    expect(both).toMatchObject({ status: 200, body: { transfer: { destination: '+61491570156' } } });
    expect(await change(id, { destination: '12345' })).toMatchObject({ body: { error: noNumber } });

    const named = await create({ destination: '1' });
    const changed = await change(named.id, { destinationType: 'MEMBER' });
    expect(changed).toMatchObject({ status: 200, body: { transfer: { destinationType: 'MEMBER' } } });
    expect(await change(named.id, { destination: '2' })).toMatchObject({ body: { error: noMember } });
    expect(await change(named.id, { destination: '1', isEnabled: false })).toMatchObject({ status: 200 });
  });
});

describe('a category', () => {
  test('of services takes no product, one of products no service', async () => {
    const { api } = world.ours;
    const product = { name: 'Astray', tradeCategoryId: 1, pricingType: 'NONE' };
    const message = 'names a category of type SERVICE, not of type PRODUCT';
    expect(await api.failure(createProductEndpoint, 400, { body: product })).toEqual(
      problem('tradeCategoryId', message),
    );
    expect(
      await api.failure(createServiceEndpoint, 400, { body: { name: 'Astray', tradeCategoryId: 2 } }),
    ).toEqual(problem('tradeCategoryId', 'names a category of type PRODUCT, not of type SERVICE'));
    const { product: there } = await api.call(createProductEndpoint, {
      body: { ...product, tradeCategoryId: 2 },
    });
    const params = { productId: there.id };
    expect(await api.failure(updateProductEndpoint, 400, { params, body: { tradeCategoryId: 1 } })).toEqual(
      problem('tradeCategoryId', message),
    );
  });
});

describe('a stored record that would be refused as a new one', () => {
  /** Stores a record without the checks of the API. */
  const store = <C extends Collection>(collection: C, record: Omit<RecordOf<C>, 'id'>) =>
    world.ours.openLedger().ledger.write({}, (write) => {
      const { ref } = write.append(collection, ({ number }) => ({ id: number, ...record }));
      write.event({ event: 'TEST', data: 'A record was stored', referenceId: String(ref.number) });
      return ref.number;
    });
  const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

  test('as a transfer to no number can be changed elsewhere, sent back whole, and put right', async () => {
    const { api } = world.ours;
    const old = {
      ...transfer,
      method: 'WARM',
      destinationType: 'PHONE_NUMBER',
      destination: '12345',
    } as const;
    const settings = { ignore_business_hours: false };
    const rest = {
      label: 'Old',
      name: 'Old',
      summaryFormat: '',
      settings,
      isEnabled: true,
      scenarioId: null,
    };
    const params = { transferId: await store(transfers, { ...old, ...rest, ...stamps }) };
    const { transfer: read } = await api.call(updateTransferEndpoint, { params, body: { isEnabled: false } });
    expect(read).toMatchObject({ isEnabled: false, destination: '12345' });
    const { transfer: whole } = await api.call(updateTransferEndpoint, {
      params,
      body: { ...read, name: 'Older' },
    });
    expect(whole).toMatchObject({ name: 'Older', destination: '12345' });
    await api.failure(updateTransferEndpoint, 400, { params, body: { destination: '123456' } });
    const { transfer: right } = await api.call(updateTransferEndpoint, {
      params,
      body: { destination: '1300 123 456' },
    });
    expect(right.destination).toBe('+611300123456');
  });
});

test('a price of -0 is 0, and no change of one', async () => {
  const { api } = world.ours;
  const body = '{"name":"Minus","tradeCategoryId":2,"pricingType":"FIXED","price":-0}';
  await api.send('POST', '/v1/products', { headers: json, body });
  const again = await api.send('PATCH', '/v1/products/batch', {
    headers: json,
    body: `{"updates":[{"id":${await lastProduct()},"pricing":{"price":-0}}]}`,
  });
  expect(again.cost.writeUnits).toBe(0);
});

const lastProduct = async () => {
  const { items } = await world.ours.openLedger().ledger.page(products, { page: 1, limit: 1 });
  return items[0]!.id;
};

describe('a length', () => {
  test('counts characters, not surrogates', async () => {
    const { api } = world.ours;
    const body = { name: '🦊'.repeat(150), tradeCategoryId: 2, pricingType: 'NONE' };
    const { product } = await api.call(createProductEndpoint, { body });
    expect(product.name).toBe(body.name);
    expect(
      await api.failure(createProductEndpoint, 400, { body: { ...body, name: '🦊'.repeat(151) } }),
    ).toEqual(problem('name', 'must be at most 150 long'));
    const halves = `${'🦊'.repeat(100)} ${'🦊'.repeat(100)}`;
    const { lead } = await api.call(createLeadEndpoint, { body: { name: halves } });
    expect(lead).toMatchObject({ firstName: '🦊'.repeat(100), lastName: '🦊'.repeat(100) });
  });

  test('of the largest records of four-byte characters can be stored and answered', async () => {
    const { api } = world.ours;
    const fox = (count: number) => '🦊'.repeat(count);
    const socials = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [fox(48) + String(at), fox(500)]),
    );
    const name = { firstName: fox(100), lastName: fox(100) };
    const { lead } = await api.call(createLeadEndpoint, {
      body: { ...name, suburb: fox(100), businessName: fox(200), socials },
    });
    expect((await api.call(getLeadEndpoint, { params: { leadId: lead.id } })).lead).toEqual(lead);
    const faqs = Array.from({ length: 10 }, () => ({ question: fox(255), answer: fox(1000) }));
    const { product } = await api.call(createProductEndpoint, {
      body: {
        name: fox(149),
        description: fox(2000),
        response: fox(5000),
        faqs,
        tradeCategoryId: 2,
        pricingType: 'NONE',
      },
    });
    expect(product.faqs).toEqual(faqs);
  });

  test('of a name whose key would be too long is reported as such', async () => {
    // NFC always writes this character as three: twelve bytes.
    const body = { name: '\u{1D160}'.repeat(100), tradeCategoryId: 2, pricingType: 'NONE' };
    expect(await world.ours.api.failure(createProductEndpoint, 400, { body })).toEqual(
      problem('name', 'must be shorter, since its characters take too much room'),
    );
  });
});

describe('a name', () => {
  const invisible = [
    '\u200b',
    '\u200b\u200d\u2060',
    '\u00ad',
    '\u3164',
    '\u2800',
    '\u202e \ufe0f',
    '\u{e0020}',
  ];

  test.each(invisible)('without visible characters counts as missing (%#)', async (name) => {
    const message = 'must have a character that can be seen';
    const { api } = world.ours;
    expect(await api.failure(createLeadEndpoint, 400, { body: { firstName: name } })).toEqual(
      problem('firstName', message),
    );
    const faq = { question: name, answer: 'A' };
    expect(await api.failure(createFaqEndpoint, 400, { body: faq })).toEqual(problem('question', message));
  });

  test.each(['\u200bAnn', '👩‍🔧', 'می‌خواهم', '\u0301', '\u{f8ff}'])(
    'with visible characters is valid: %s',
    async (name) => {
      const { lead } = await world.ours.api.call(createLeadEndpoint, { body: { firstName: name } });
      expect(lead.firstName).toBe(name);
    },
  );
});

describe('a whole name', () => {
  test('has halves without white space around them', async () => {
    const { lead } = await world.ours.api.call(createLeadEndpoint, {
      body: { name: 'Ann\u00a0  \u00a0Lee' },
    });
    expect(lead).toMatchObject({ firstName: 'Ann', lastName: 'Lee' });
  });

  test.each(['\u200b Lee', 'Ann \u200b'])('must have visible halves (%#)', async (name) => {
    expect(await world.ours.api.failure(createLeadEndpoint, 400, { body: { name } })).toEqual(
      problem('name', 'must have a first and a last name that can be seen'),
    );
  });
});

test('a problem of the whole body is reported in a sentence with a subject', async () => {
  const parameter = await world.ours.api.send('GET', '/v1/leads?=5');
  expect(parameter).toMatchObject({
    body: { error: problem('', 'There is a query parameter without a name') },
  });
  const field = await world.ours.api.failure(createLeadEndpoint, 400, { body: { name: 'Ann', '': 1 } });
  expect(field).toEqual(problem('', 'The body has a field without a name'));
});

describe('the bytes of a body', () => {
  test('may begin with a byte order mark', async () => {
    expect(await post('\uFEFF{"name":"Bom"}')).toMatchObject({ status: 201 });
  });

  test('that are not UTF-8 are refused, since their meaning is lost', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"Caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
    const response = await fetch(`${inject('baseUrl')}/v1/leads`, {
      method: 'POST',
      headers: { ...json, Authorization: `Bearer ${world.ours.token}` },
      body: bytes,
    });
    const message = 'must be valid UTF-8, without U+FFFD, which stands for what could not be read';
    expect(await response.json()).toMatchObject({ error: problem('name', message) });
  });

  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('may be said to be %s', async (charset) => {
    const type = `application/json;charset=${charset}`;
    expect(await post('{"name":"Ann"}', { 'Content-Type': type })).toMatchObject({ status: 201 });
  });

  test.each(['iso-8859-1', 'utf-16', 'us-ascii', ''])('in the charset "%s" are 415', async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await post('{"name":"Ann"}', { 'Content-Type': type })).toMatchObject({
      status: 415,
      body: { error: { message: 'The charset of the body must be utf-8' } },
    });
  });

  test.each(['br', 'x', 'gzip, br'])('are not decoded: Content-Encoding %s is 415', async (encoding) => {
    const message = 'The body must come without a Content-Encoding, or, from 1 KB on, as gzip or deflate';
    expect(await post('{"name":"Ann"}', { ...json, 'Content-Encoding': encoding })).toMatchObject({
      status: 415,
      body: { error: { message } },
    });
    expect(await post('{"name":"Ann"}', { ...json, 'Content-Encoding': 'identity' })).toMatchObject({
      status: 201,
    });
  });

  test('are read with any white space in the Content-Type', async () => {
    const type = `application/json${' '.repeat(8000)}; charset=utf-8`;
    expect(await post('{"name":"Ann"}', { 'Content-Type': type })).toMatchObject({ status: 201 });
  });
});

describe('a body that is made to be expensive', () => {
  test('by a name of many diacritics has one problem: the name is not even folded', async () => {
    const name = `a${'\u0301'.repeat(60_000)}${'\u0323'.repeat(60_000)}`;
    const body = { name, tradeCategoryId: 2, pricingType: 'NONE' };
    expect(await world.ours.api.failure(createProductEndpoint, 400, { body })).toEqual(
      problem('name', 'must be at most 150 long'),
    );
  });

  test('by nulls in a record is read without the nulls', async () => {
    const socials = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, null]));
    const { lead } = await world.ours.api.call(createLeadEndpoint, { body: { name: 'Ann', socials } });
    expect(lead.socials).toEqual({});
  });

  test('by a long field name is reported in complete characters', async () => {
    const { details } = await world.ours.api.failure(createLeadEndpoint, 400, {
      body: { name: 'Ann', [`x${'🦊'.repeat(150)}`]: 1 },
    });
    expect(details?.[0]?.field).toBe(`x${'🦊'.repeat(99)}`);
  });

  test('of 100,000 wrong elements has one problem', async () => {
    const body = JSON.stringify({ name: 'x', tradeCategoryId: 1, followUpQuestions: Array(100_000).fill(1) });
    const answer = await world.ours.api.send('POST', '/v1/services', { headers: json, body });
    const message = 'must be at most 10 long';
    expect(answer).toMatchObject({ body: { error: problem('followUpQuestions', message) } });
  });

  test('may be nested at most 50 deep, at any place', async () => {
    const bodyOf = (levels: number) =>
      `{"updates":[{"id":4711,"createdAt":${'['.repeat(levels)}${']'.repeat(levels)}}]}`;
    const patch = (levels: number) =>
      world.ours.api.send('PATCH', '/v1/products/batch', { headers: json, body: bodyOf(levels) });
    // The body, the array and the item are three more levels.
    expect(await patch(47)).toMatchObject({ status: 200 });
    const refused = { status: 400, body: { error: problem('', 'The body must be nested at most 50 deep') } };
    expect(await patch(48)).toMatchObject(refused);
    // A function can read little more: on AWS its stack is smaller than on the local machine.
    expect(await patch(2000)).toMatchObject(refused);
  });

  test('with a field named like an inherited one fails only its item of a batch', async () => {
    const { api } = world.ours;
    const { product } = await api.call(createProductEndpoint, {
      body: { name: 'Beside', tradeCategoryId: 2, pricingType: 'NONE' },
    });
    const body = `{"updates":[{"id":${product.id},"constructor":1},{"id":${product.id},"isActive":false}]}`;
    const answer = await api.send('PATCH', '/v1/products/batch', { headers: json, body });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        results: [
          { status: 'error', code: 'VALIDATION_ERROR', message: 'constructor is not a known field' },
          { status: 'ok', product: { isActive: false } },
        ],
      },
    });
  });
});
