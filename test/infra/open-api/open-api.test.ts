import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { findContracts, pascal } from '../../../infra/functions.ts';
import { readGuides } from '../../../infra/site/guides.ts';
import { inOrder, tagOrder } from '../../../infra/open-api/tags.ts';
import { answersRecord, isKeyed, takesIfMatch, takesKey } from '../../../shared/contract/endpoint.ts';
import { shownMessages } from '../../../shared/contract/inquiries.ts';
import { createLeadsEndpoint } from '../../../shared/contract/lead-batch.ts';
import { noAddress } from '../../../shared/contract/address.ts';
import { commonFields } from '../../../shared/contract/descriptions.ts';
import { describeApi, nameOf, type Schema } from './description.ts';

const contracts = await findContracts();
const description = await describeApi();
const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
const of = (id: string) => operations.find(({ operationId }) => operationId === id)!;
const schemas = Object.entries(description.components.schemas);

/** Returns every schema and part of a schema, each with its path. */
function parts(): [string, Schema][] {
  const parameters = operations.flatMap(({ operationId, parameters }) =>
    parameters.map(({ name, schema }): [string, Schema] => [`${operationId}(${name})`, schema]),
  );
  const headers = Object.entries(description.components.headers).map(
    ([name, { schema }]): [string, Schema] => [name, schema],
  );
  return [...schemas, ...parameters, ...headers].flatMap(([at, schema]) => within(at, schema));
}

function within(at: string, schema: Schema): [string, Schema][] {
  const { properties = {}, items, additionalProperties, propertyNames, anyOf = [], oneOf = [] } = schema;
  const inner = [
    ...Object.entries(properties).map(([name, part]) => [`${at}.${name}`, part] as const),
    ...[items, additionalProperties, propertyNames].map((part) => [`${at}[]`, part] as const),
    ...[...anyOf, ...oneOf].map((part, index) => [`${at}|${index}`, part] as const),
  ];
  return [
    [at, schema],
    ...inner.flatMap(([place, part]) => (typeof part === 'object' ? within(place, part) : [])),
  ];
}

const isComponent = (at: string) => at in description.components.schemas;

describe('its descriptions say', () => {
  test('what each operation does, which scope it needs, and by a badge that it is an addition to the core API', () => {
    for (const { operationId, endpoint } of contracts.operations) {
      const { summary, description: text, 'x-badges': badges } = of(operationId);
      expect(badges, operationId).toEqual(endpoint.extension ? [{ name: 'Extension' }] : undefined);
      expect(summary, operationId).not.toBe('');
      expect(endpoint.description, operationId).toMatch(/\w.*\.$/s);
      const scope = `the scope \`${endpoint.scope}\``;
      const token = isKeyed(endpoint)
        ? `The operation needs a token with ${scope}, as \`key\` in the query, and takes no other.`
        : `The token needs ${scope}, which `;
      const others: Record<string, string> = {
        public: 'The operation needs no token.',
        any: 'The operation takes each token but a key, whatever its scopes.',
      };
      const sentence = others[endpoint.scope] ?? token;
      expect(text, operationId).toContain(`${endpoint.description} ${sentence}`);
    }
  });

  test('what each tag, parameter, header, response, schema, enumeration and field is', () => {
    const { tags, components } = description;
    const described = [
      ...tags.map((tag) => [tag.name, tag] as const),
      ...operations.flatMap(({ operationId, parameters, responses }) => [
        ...parameters.map((parameter) => [`${operationId}(${parameter.name})`, parameter] as const),
        ...Object.entries(responses).flatMap(([status, answer]) =>
          '$ref' in answer ? [] : [[`${operationId} ${status}`, answer] as const],
        ),
      ]),
      ...Object.entries({ ...components.headers, ...components.responses }),
      ...schemas,
      ...schemas.flatMap(([name, { properties = {} }]) =>
        Object.entries(properties).map(([field, part]) => [`${name}.${field}`, part] as const),
      ),
    ];
    expect(described.filter(([, part]) => !part.description).map(([at]) => at)).toEqual([]);
  });

  test('nothing about schemas or fields that do not exist', () => {
    const fieldsOf = (name: string) => {
      const schema = contracts.schemas[name];
      const inQuery = schema && 'entries' in schema ? Object.keys(schema.entries as object) : [];
      return [...Object.keys(description.components.schemas[name]?.properties ?? {}), ...inQuery];
    };
    const queries = contracts.operations.map(({ endpoint }) => endpoint.query);
    for (const [name, { like, fields = {} }] of Object.entries(contracts.descriptions)) {
      const isThere = isComponent(name) || queries.some((query) => query === contracts.schemas[name]);
      expect(isThere, name).toBe(true);
      if (like !== undefined) expect(contracts.descriptions, name).toHaveProperty(like);
      for (const field of Object.keys(fields)) expect(fieldsOf(name), name).toContain(field);
    }
    const fields = new Set(schemas.flatMap(([name]) => fieldsOf(name)));
    for (const field of Object.keys(commonFields)) expect(fields).toContain(field);
  });

  test('few rules at the beginning, with links to pages of the site', () => {
    const { description: text } = description.info;
    const pages = readGuides(contracts).flatMap(({ guides }) => guides.map(({ path }) => `docs/${path}`));
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(new Set(links).size).toBe(6);
    expect(pages).toEqual(expect.arrayContaining(links));
    expect(text.split('\n\n')[0]!.length).toBeLessThan(100);
    expect(text.match(/^- /gm)).toHaveLength(5);
    for (const rule of ['Unknown fields', '`null`', '`nextAfter`', '`Retry-After`', '`Idempotency-Key`'])
      expect(text).toContain(rule);
  });

  test('how many messages of a thread there are', () => {
    expect(contracts.descriptions['SmsData']!.fields!['messages']).toContain(` ${shownMessages} `);
  });

  test('that a tag stays, and so should name nobody, wherever one is read or sent', () => {
    const tagged = schemas.flatMap(([name, { properties }]) =>
      properties?.['tag'] ? [[name, properties['tag'].description] as const] : [],
    );
    expect(tagged.map(([name]) => name)).toEqual(
      expect.arrayContaining(['NewCallInquiry', 'InquiryChanges']),
    );
    for (const [name, words] of tagged) expect(words, name).toContain('no names of people');
  });

  test('in the example of a batch, the fields that its lead was sent with', () => {
    const { body, response } = createLeadsEndpoint.example;
    const { email, suburb, address, businessName, socials } = response.results[0].lead;
    const [sent] = body.leads;
    expect({
      businessName: '',
      socials: {},
      ...sent,
      address: { ...noAddress, suburb, ...sent.address },
    }).toMatchObject({
      email,
      suburb,
      address,
      businessName,
      socials,
    });
  });
});

test('its tags come in the order in which one needs them, and its operations with them', () => {
  expect(description.tags.map(({ name }) => name)).toEqual(tagOrder);
  const tags = operations.map((operation) => operation.tags[0]!);
  expect([...new Set(tags)]).toEqual(tagOrder);
  expect(tags.toSorted((a, b) => tagOrder.indexOf(a) - tagOrder.indexOf(b))).toEqual(tags);
  const [operation] = contracts.operations;
  expect(() => inOrder([{ ...operation!, entry: 'functions/other/list-others.ts' }])).toThrow(
    'The tag other has no place in infra/open-api/tags.ts: add it',
  );
});

describe('it describes tokens and revisions', () => {
  const headersIn = (operationId: string) =>
    of(operationId).parameters.flatMap((one) => (one.in === 'header' ? [one] : []));
  const revision = { ETag: { $ref: '#/components/headers/Revision' } };
  const extension = { 'x-extension': true };

  test('each scope that is enough, the narrowest first, and what a token without the other scopes does not see', () => {
    expect(of('createLead').security).toEqual(
      ['leads:create', 'leads:write', 'write'].map((scope) => ({ bearer: [scope] })),
    );
    expect(of('listMembers').security).toEqual([{ bearer: ['members:read'] }, { bearer: ['read'] }]);
    expect(of('updateMemberSchedule').security).toEqual([{ bearer: ['members:write'] }]);
    expect(of('getOpenApi').security).toEqual([]);
    const alone = 'the record has its `id` alone, and there is no `ETag`';
    const noUser = 'No token of a member with the role USER has it.';
    const texts = {
      createLead:
        'leads:create`, which `leads:write` and `write` include. Without `leads:read`, ' +
        `${alone}; a 409 has no \`existingId\`.`,
      getLead: 'leads:read`, which `read` includes.',
      deleteLead: 'leads:write`, which `write` includes.',
      updateMemberSchedule: `which no other scope includes. ${noUser} Without \`members:read\`, ${alone}.`,
      updateProducts: 'Without `products:read`, a record has its `id` alone.',
      createInquiry: `Without \`inquiries:read\`, ${alone}. Without \`leads:read\`, \`lead\` has its \`id\` alone.`,
    };
    for (const [id, text] of Object.entries(texts)) expect(of(id).description.endsWith(text), id).toBe(true);
  });

  test('the headers of an operation with one record: 304, 412 and the tag', () => {
    const optional = { in: 'header', required: false, schema: { type: 'string' }, ...extension };
    for (const { operationId, endpoint } of contracts.operations) {
      const { responses } = of(operationId);
      const isRead = endpoint.record !== undefined && endpoint.method === 'GET';
      const names = [
        ...(takesIfMatch(endpoint) ? ['If-Match'] : []),
        ...(isRead ? ['If-None-Match'] : []),
        ...(takesKey(endpoint) ? ['Idempotency-Key'] : []),
      ];
      expect(headersIn(operationId)).toMatchObject(names.map((name) => ({ name, ...optional })));
      const [success] = Object.keys(endpoint.responses);
      const hasTag = JSON.stringify(responses[success!]).includes(revision.ETag.$ref);
      expect(hasTag, operationId).toBe(answersRecord(endpoint));
      if (isRead) expect(responses[304], operationId).toMatchObject({ headers: revision, ...extension });
      if (takesIfMatch(endpoint)) expect(nameOf(responses[412]!), operationId).toBe('PreconditionFailed');
    }
    expect(description.components.responses['PreconditionFailed']).toMatchObject({
      description: 'Precondition failed',
      headers: revision,
      ...extension,
    });
  });

  test('the header by which a request is carried out once, its answers and its errors', () => {
    for (const { operationId, endpoint } of contracts.operations) {
      const { responses } = of(operationId);
      const successes = Object.keys(endpoint.responses).map((status) => responses[status]?.headers ?? {});
      const areReplayed = successes.every((headers) => 'Idempotency-Replayed' in headers);
      const isExpected = endpoint.method === 'POST' || operationId === 'updateProducts';
      expect([areReplayed, '422' in responses], operationId).toEqual([isExpected, isExpected]);
    }
    const sms = {
      409: { $ref: '#/components/responses/Undecided' },
      422: { $ref: '#/components/responses/UnprocessableContent' },
    };
    expect(of('sendSms').responses).toMatchObject(sms);
    for (const name of ['Undecided', 'UnprocessableContent'])
      expect(description.components.responses[name]).toMatchObject(extension);
  });
});

describe('it links an answer to the operations that take its ids', () => {
  test('a record that is made to those that read, change and delete it, and to what it names', () => {
    expect(of('createService').responses['201']!.links).toMatchObject({
      getService: { parameters: { serviceId: '$response.body#/service/id' } },
      getScenario: { parameters: { scenarioId: '$response.body#/service/scenario/id' } },
    });
    expect(of('getInquiry').responses['200']!.links).toMatchObject({
      deleteLead: { parameters: { leadId: '$response.body#/leadId' } },
      updateInquiry: { parameters: { inquiryId: '$response.body#/id' } },
    });
    for (const { operationId, endpoint } of contracts.operations) {
      // An invitation is not yet the member of its path.
      if (endpoint.method !== 'POST' || !endpoint.responses[201] || operationId === 'inviteMember') continue;
      const others = contracts.operations.filter((other) =>
        new RegExp(`^${endpoint.path}/{\\w+}$`).test(other.endpoint.path),
      );
      const links = of(operationId).responses['201']!.links ?? {};
      expect(Object.keys(links)).toEqual(expect.arrayContaining(others.map((other) => other.operationId)));
    }
  });

  test('each with all ids of its path, and no other', () => {
    const linked = contracts.operations.flatMap(({ operationId, endpoint }) =>
      Object.keys(endpoint.responses).flatMap((status) =>
        Object.entries(of(operationId).responses[status]!.links ?? {}).map(
          ([name, link]) => ({ from: endpoint, name, link }) as const,
        ),
      ),
    );
    expect(linked.length).toBeGreaterThan(50);
    for (const { from, name, link } of linked) {
      const target = contracts.operations.find(({ operationId }) => operationId === name)!.endpoint;
      expect(link.operationId).toBe(name);
      expect(link['x-extension']).toBe(target.extension);
      expect(Object.keys(link.parameters)).toEqual(Object.keys(target.params));
      for (const [parameter, expression] of Object.entries(link.parameters)) {
        const [, inRequest, inAnswer = ''] = /^\$(?:request\.path\.(\w+)|response\.body#\/(.+))$/.exec(
          expression,
        )!;
        const value =
          inRequest === undefined
            ? inAnswer.split('/').reduce<unknown>((at, field) => (at as never)[field], from.example.response)
            : from.example.params![inRequest];
        expect(v.is(target.params[parameter]!.schema, String(value)), expression).toBe(true);
      }
    }
  });
});

describe('it has the forms that generators of clients understand', () => {
  test('schema names that no generator makes up, and no language uses', () => {
    const operationIds = operations.map(({ operationId }) => pascal(operationId));
    const made = /(Request|Requests|Response|Responses|Params|Error|Errors)$/;
    const taken =
      /^(Array|Boolean|Byte|Character|Class|Date|Double|Enum|Error|Event|File|Float|Function|Integer|List|Long|Map|Math|Module|Number|Object|Optional|Package|Process|Promise|Record|Request|Response|Set|Short|String|Symbol|Thread|Type|Void)$/;
    for (const [name] of schemas) {
      expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(name).not.toMatch(made);
      expect(name).not.toMatch(taken);
      expect(Object.keys(description.components.responses)).not.toContain(name);
      expect(operationIds.filter((operationId) => name.startsWith(operationId))).toEqual([]);
    }
    const names = schemas.map(([name]) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  test('each object and enumeration is a component, and each enumeration one', () => {
    for (const [at, schema] of parts()) {
      if (!isComponent(at)) expect(schema.properties ?? schema.enum, at).toBeUndefined();
    }
    const values = schemas.flatMap(([, schema]) => (schema.enum ? [schema.enum.join()] : []));
    expect(new Set(values).size).toBe(values.length);
    expect(values.length).toBeGreaterThan(15);
  });

  test('each part has a type, and each number its size', () => {
    for (const [at, { type, format, $ref, anyOf, oneOf, ...schema }] of parts()) {
      expect($ref ?? type ?? anyOf ?? oneOf, at).toBeDefined();
      if ([type].flat().includes('integer')) expect(format, at).toBe('int64');
      if ([type].flat().includes('number')) expect(format, at).toBe('double');
      if ('const' in schema) expect(typeof schema.const, at).toBe(type);
    }
  });

  test('a scalar or null is one schema of two types, and a component or null a union', () => {
    const nullable = parts().filter(([, { anyOf = [] }]) => anyOf.some(({ type }) => type === 'null'));
    expect(nullable.length).toBeGreaterThan(15);
    for (const [at, { anyOf }] of nullable) expect(anyOf?.[0], at).toHaveProperty('$ref');
    const { lastInquiryId, lastInquiryDate } = description.components.schemas['Lead']!.properties!;
    expect([lastInquiryId!.type, lastInquiryDate!.type]).toEqual(Array(2).fill(['string', 'null']));
  });

  test('a field tells the options of a union apart', () => {
    const unions = schemas.filter(([, { oneOf }]) => oneOf);
    expect(unions.map(([name]) => name)).toEqual(expect.arrayContaining(['Inquiry', 'BatchResult']));
    for (const [name, { oneOf = [], discriminator }] of unions) {
      const { propertyName, mapping } = discriminator!;
      expect(Object.values(mapping), name).toEqual(oneOf.map(({ $ref }) => $ref));
      for (const [value, reference] of Object.entries(mapping)) {
        const field = description.components.schemas[nameOf({ $ref: reference })]!.properties![propertyName]!;
        expect(field, name).toMatchObject({ type: 'string', const: value });
      }
    }
  });

  test('patterns that every regular expression engine reads alike', () => {
    const patterns = parts().flatMap(([at, { pattern }]) =>
      pattern === undefined ? [] : [[at, pattern] as const],
    );
    expect(patterns.length).toBeGreaterThan(50);
    for (const [at, pattern] of patterns) {
      expect(() => new RegExp(pattern), at).not.toThrow();
      // Only literals, ranges and the few classes that every engine knows: no flags, look-around or back
      // reference.
      expect(pattern, at).not.toMatch(/\(\?[^:]|\\[^dsSxt.nr\-[\]]|\\[1-9]/);
    }
  });

  test('no default of a field, because openapi-typescript would make the field a required one', () => {
    expect(parts().filter(([at, schema]) => 'default' in schema && !at.includes('('))).toEqual([]);
  });

  test('no bound that binary fractions cannot represent', () => {
    expect(JSON.stringify(description.components.schemas)).not.toContain('multipleOf');
  });
});
