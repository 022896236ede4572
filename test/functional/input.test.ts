import { describe, expect, inject, test } from 'vitest';
import { sentences } from '../../shared/contract/errors.ts';
import { problem } from '../support/api-client.ts';
import { verifiedOrganization } from '../support/test-organization.ts';
import { notPhone, phoneExamples } from '../support/not-phone.ts';

const ours = await verifiedOrganization();
const { api } = ours;

const json = { 'Content-Type': 'application/json' };
const post = (body: string, headers: Record<string, string> = json) =>
  api.send('POST', '/v1/leads', { headers, body });
const patchProducts = (body: string) => api.send('PATCH', '/v1/products/batch', { headers: json, body });
const create = async (body: object) => (await api.call('createLead', { body })).lead;
/** Refusal of a request with these problems. */
const refusal = (...problems: string[]) => ({ status: 400, body: { error: problem(...problems) } });
const error = (status: number, message: string) => ({ status, body: { error: { message } } });
const product = { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' };
const notAlone = `must be a phone number alone, without a scheme, a label or a note: ${phoneExamples}`;
const fox = (count: number) => '🦊'.repeat(count);

describe('a body', () => {
  const manySocials = Object.fromEntries([...Array(21).keys()].map((n) => [n, '']));
  test.each<[object, string]>([
    [{ name: undefined, email: 'a@example.com' }, 'firstName is required where there is no name'],
    [{ name: '   ' }, 'firstName is required where there is no name'],
    [{ socials: { x: 1 } }, 'socials.x must be a string'],
    [{ socials: manySocials }, 'socials must have at most 20 entries'],
    [{ socials: { '': 'x' } }, 'socials. is a field without a name'],
    [{ socials: { x: '\u0000' } }, 'socials.x must have no control characters but tabs and line breaks'],
    [
      { socials: { x: 'javascript:x' } },
      'socials.x must be a link that begins with https:// or http://, or a name without a scheme, such as @joe',
    ],
    [{ phone: 'call me' }, `phone ${notPhone}`],
    // Reported:
    [{ phone: '5550 1234' }, `phone ${notPhone}`],
    [{ phone: '07911 123456' }, `phone ${notPhone}`],
    [{ phone: '(415) 555-2671' }, `phone ${notPhone}`],
    [{ phone: '030 901820' }, `phone ${notPhone}`],
    [{ phone: '01.23.45.67.89' }, `phone ${notPhone}`],
    [{ phone: '0491 570 611 / 02 5550 1234' }, `phone must be only one phone number: ${phoneExamples}`],
    [{ phone: 'tel:+61491570611' }, `phone ${notAlone}`],
    // Made up:
    [{ phone: '0491 570 611 (mobile)' }, `phone ${notAlone}`],
    [{ phone: '0491 570 156 ext. 12' }, 'phone must be a phone number without an extension'],
    [{ name: 'x'.repeat(101) }, 'name must be a first and a last name of at most 100 each'],
    [{ name: '\u200b Lee' }, 'name must have a first and a last name that can be seen'],
    [{ '': 1 }, 'The body has a field without a name'],
    // Only the beginning of a long name is named, in complete characters.
    [{ ['x'.repeat(9999)]: 1 }, `${'x'.repeat(100)} is not a known field`],
    [{ [`x${fox(150)}`]: 1 }, `x${fox(99)} is not a known field`],
  ])('with %j is refused: %s', async (changes, problem) => {
    await api.refuses('createLead', { body: { name: 'Ann', ...changes } }, problem);
  });

  test.each([
    ['__proto__', '{"name":"Ann","__proto__":{"isOptedOut":true}}'],
    ['constructor', '{"name":"Ann","constructor":{"prototype":{"admin":true}}}'],
    ['socials.__proto__', '{"name":"Ann","socials":{"__proto__":"x"}}'],
    ['socials.constructor', '{"name":"Ann","socials":{"constructor":{"prototype":"x"}}}'],
  ])('with the field %s names it, and inherits nothing', async (field, body) => {
    const message = `${field} is not a known field`;
    expect(await post(body)).toMatchObject(refusal(message));
    const batch = { headers: json, body: `{"leads":[${body}]}` };
    const answer = await api.send('POST', '/v1/leads/batch', batch);
    expect(answer).toMatchObject({ body: { results: [{ status: 'error', message }] } });
    expect({}).not.toHaveProperty('admin');
  });

  test('with several problems names them all, unknown fields at any depth first', async () => {
    const body = { nmae: 'Ann', socials: {}, emial: 'x', suburb: 7, status: 'x' };
    const { details } = await api.failure('createLead', 400, { body });
    expect(details?.map(({ field }) => field)).toEqual(['nmae', 'emial', 'suburb', 'status', 'firstName']);
    const faqs = [
      { question: 'Q', answer: 'A', id: 1, rank: 2 },
      { question: 'Q', answer: 'A', x: 1 },
    ];
    const unknown = ['faqs.0.id', 'faqs.0.rank', 'faqs.1.x', 'y'].map(
      (field) => `${field} is not a known field`,
    );
    await api.refuses('createProduct', { body: { ...product, faqs, y: 1 } }, ...unknown);
  });

  test('with more than 50 problems has the others counted', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]));
    const body = { name: 'Ann', ...unknown };
    const { message, details } = await api.failure('createLead', 400, { body });
    expect(details).toHaveLength(50);
    expect(message).toBe('x0 is not a known field, and 950 more');
  });

  const malformed = (line: number, column: number) =>
    `The body cannot be read as JSON: line ${line}, column ${column}`;
  test.each([
    ['that is cut off', '{"name":', malformed(1, 9)],
    ['with a trailing comma', '{\n  "name": "Ann",\n}', malformed(3, 1)],
    ['with a line break in a text', '{"name":"🦊 Ann\r\nLee"}', malformed(1, 15)],
    ['without quotes', `{"name":"in JSON at position 5","email":${' '.repeat(80)}ann}`, malformed(1, 121)],
    ['with text behind it', '{}\r\n\r\n x', malformed(3, 2)],
    ['that is empty', '', 'The body must be a JSON object'],
    ['that is null', 'null', 'The body must be a JSON object'],
    ['nested 40,000 deep', '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000), sentences.tooDeep],
  ])('%s is 400', async (_, body, message) => {
    expect(await post(body)).toMatchObject(refusal(message));
  });

  test('over 256 KB is 413; just below, it is read', async () => {
    const bodyOf = (bytes: number) => `{"name":"Ann","suburb":"${'x'.repeat(bytes - 26)}"}`;
    expect(bodyOf(1000).length).toBe(1000);
    expect(await post(bodyOf(256 * 1024))).toMatchObject({ status: 400 });
    expect(await post(bodyOf(256 * 1024 + 1))).toMatchObject(error(413, 'The body must be at most 256 KB'));
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    `application/json${' '.repeat(8000)}; charset=utf-8`,
    ...['utf-8', 'UTF-8', '"utf-8"', 'utf8'].map((charset) => `application/json;charset=${charset}`),
    'APPLICATION/JSON',
    'application/merge-patch+json',
  ])('as %s is read', async (type) => {
    expect(await post('\uFEFF{"name":"Ann"}', { 'content-type': type })).toMatchObject({ status: 201 });
  });

  test.each([
    ...['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
      (type) => [type, 'The Content-Type must be application/json'] as const,
    ),
    ...['iso-8859-1', 'utf-16', 'us-ascii', ''].map(
      (charset) => [`application/json; charset=${charset}`, 'The charset of the body must be utf-8'] as const,
    ),
  ])('as "%s" is 415', async (type, message) => {
    expect(await post('{"name":"Ann"}', { 'Content-Type': type })).toMatchObject(error(415, message));
  });

  test.each(['br', 'x', 'gzip, br'])('is not decoded: Content-Encoding %s is 415', async (encoding) => {
    const message = 'The body must come without a Content-Encoding, or, from 1 KB on, as gzip or deflate';
    const encoded = (name: string) => post('{"name":"Ann"}', { ...json, 'Content-Encoding': name });
    expect(await encoded(encoding)).toMatchObject(error(415, message));
    expect(await encoded('identity')).toMatchObject({ status: 201 });
  });

  test('that is not UTF-8 is refused, since its meaning is lost', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"Caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
    const headers = { ...json, Authorization: `Bearer ${ours.token}` };
    const response = await fetch(`${inject('baseUrl')}/v1/leads`, { method: 'POST', headers, body: bytes });
    const message = 'name must be valid UTF-8, without U+FFFD, which stands for what could not be read';
    expect(await response.json()).toMatchObject({ error: problem(message) });
  });

  test('keeps any text unchanged', async () => {
    const texts = ['Zoë 🦊', "Robert'); DROP TABLE leads;--", '${x} $context.requestId', 'ǅ'];
    for (const firstName of texts) {
      const socials = { [firstName]: `\t\n${firstName} ` };
      const lead = await create({ firstName, suburb: ` ${firstName}`, socials });
      expect(lead).toMatchObject({ firstName, suburb: firstName, socials });
      expect((await api.call('getLead', { params: { leadId: lead.id } })).lead).toEqual(lead);
    }
  });
});

describe('a path or a query', () => {
  test('that is not valid percent-encoding is 400 in the envelope', async () => {
    expect(await api.send('GET', '/v1/leads/%zz')).toMatchObject({ status: 400 });
  });

  test.each([
    ['limit=10&limit=10', 'limit is given more than once'],
    ['=5', 'There is a query parameter without a name'],
  ])('?%s is refused: %s', async (query, problem) => {
    expect(await api.send('GET', `/v1/leads?${query}`)).toMatchObject(refusal(problem));
  });
});

test('null in place of a value of a new record counts as left out', async () => {
  const nothing = { lastName: null, email: null, phone: null, socials: null, address: null };
  const lead = await create({ name: 'Nul', ...nothing });
  expect(lead).toMatchObject({ firstName: 'Nul', email: '', phone: '', socials: {}, status: 'pending' });
  // The nulls of a record do not count as entries.
  const nulls = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, null]));
  expect((await create({ name: 'Nul', socials: { ...nulls, x: 'y' } })).socials).toEqual({ x: 'y' });
  const service = { name: 'Null', tradeCategoryId: 1, customPriceResponse: null };
  const answer = await api.call('createService', { body: service });
  expect(answer.service.customPriceResponse).toBeNull();
});

test.each([
  ['0061 491 570 006', '+61491570006'],
  ['0011 61 491 570 110', '+61491570110'],
  ['+61 (0)491 570 313', '+61491570313'],
])('the phone number %s is stored as %s', async (phone, expected) => {
  const lead = await create({ name: 'Ann', phone });
  expect(lead.phone).toBe(expected);
  const again = await api.failure('createLead', 409, { body: { name: 'Ann', phone: expected } });
  expect(again).toMatchObject({ existingId: lead.id, details: [{ field: 'phone', message: 'is taken' }] });
});

describe('a length', () => {
  test('counts characters, not surrogates', async () => {
    const body = { ...product, name: fox(150) };
    expect((await api.call('createProduct', { body })).product.name).toBe(body.name);
    const longer = { ...body, name: fox(151) };
    await api.refuses('createProduct', { body: longer }, 'name must be at most 150 long');
    const lead = await create({ name: `${fox(100)} ${fox(100)}` });
    expect(lead).toMatchObject({ firstName: fox(100), lastName: fox(100) });
  });

  test('of the largest records of four-byte characters can be stored and answered', async () => {
    const entries = Array.from({ length: 20 }, (_, at) => [fox(48) + String(at), fox(500)]);
    const names = { firstName: fox(100), lastName: fox(100), suburb: fox(100), businessName: fox(200) };
    const lead = await create({
      ...names,
      externalId: fox(200),
      socials: Object.fromEntries(entries) as object,
    });
    expect((await api.call('getLead', { params: { leadId: lead.id } })).lead).toEqual(lead);
    const faqs = Array.from({ length: 10 }, () => ({ question: fox(255), answer: fox(1000) }));
    const body = { ...product, name: fox(149), description: fox(2000), response: fox(5000), faqs };
    expect((await api.call('createProduct', { body })).product.faqs).toEqual(faqs);
  });

  test('of a name whose key would be too long is reported as such', async () => {
    // NFC always writes this character as three: twelve bytes.
    const body = { ...product, name: '\u{1D160}'.repeat(100) };
    const problem = 'name must be shorter, since its characters take too much room';
    await api.refuses('createProduct', { body }, problem);
  });
});

describe('a name', () => {
  test.each(['\u200b', '\u200b\u200d\u2060', '\u00ad', '\u3164', '\u2800', '\u202e \ufe0f', '\u{e0020}'])(
    'without visible characters counts as missing (%#)',
    async (name) => {
      const message = 'must have a character that can be seen';
      await api.refuses('createLead', { body: { firstName: name } }, `firstName ${message}`);
      await api.refuses('createFaq', { body: { question: name, answer: 'A' } }, `question ${message}`);
    },
  );

  test.each(['\u200bAnn', '👩‍🔧', 'می‌خواهم', '\u0301', '\u{f8ff}'])(
    'with visible characters is valid: %s',
    async (firstName) => {
      expect(await create({ firstName })).toMatchObject({ firstName });
    },
  );

  test('has halves without white space around them', async () => {
    const lead = await create({ name: 'Ann\u00a0  \u00a0Lee' });
    expect(lead).toMatchObject({ firstName: 'Ann', lastName: 'Lee' });
  });
});

describe('a body that is made to be expensive', () => {
  test('by a name of many diacritics has one problem: the name is not even folded', async () => {
    const body = { ...product, name: `a${'\u0301'.repeat(60_000)}${'\u0323'.repeat(60_000)}` };
    await api.refuses('createProduct', { body }, 'name must be at most 150 long');
  });

  test('of 100,000 wrong elements has one problem', async () => {
    const body = { name: 'x', tradeCategoryId: 1, followUpQuestions: Array(100_000).fill(1) };
    await api.refuses('createService', { body }, 'followUpQuestions must be at most 10 long');
  });

  test('may be nested at most 50 deep, at any place', async () => {
    const patch = (levels: number) =>
      patchProducts(`{"updates":[{"id":4711,"createdAt":${'['.repeat(levels)}${']'.repeat(levels)}}]}`);
    // The body, the array and the item are three more levels.
    expect(await patch(47)).toMatchObject({ status: 200 });
    const refused = refusal('The body must be nested at most 50 deep');
    expect(await patch(48)).toMatchObject(refused);
    // A function can read little more: on AWS its stack is smaller than on the local machine.
    expect(await patch(2000)).toMatchObject(refused);
  });

  test('with a field named like an inherited one fails only its item of a batch', async () => {
    const { id } = (await api.call('createProduct', { body: { ...product, name: 'Beside' } })).product;
    const answer = await patchProducts(
      `{"updates":[{"id":${id},"constructor":1},{"id":${id},"isActive":false}]}`,
    );
    const results = [
      { status: 'error', code: 'VALIDATION_ERROR', message: 'constructor is not a known field' },
      { status: 'ok', product: { isActive: false } },
    ];
    expect(answer).toMatchObject({ status: 200, body: { results } });
  });
});
