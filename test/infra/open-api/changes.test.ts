import { beforeAll, describe, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import type { Change } from '../../../infra/open-api/changes/change.ts';
import { compareDescriptions } from '../../../infra/open-api/changes/compare.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import {
  drop,
  fieldOf,
  operationOf,
  parameterOf,
  pull,
  push,
  reference,
  reverse,
  schemaOf,
  set,
  type Part,
} from '../../support/api-mutations/description.ts';
import { mutations } from '../../support/api-mutations/mutations.ts';

let description: string;
beforeAll(async () => {
  description = JSON.stringify(openApiDocument(await findContracts()));
});

/** The changes between today's description and the same after a change; both after what `before` does. */
function changesAfter(change: (api: Part) => unknown, before: (api: Part) => unknown = () => undefined) {
  const old = JSON.parse(description) as Part;
  before(old);
  const now = JSON.parse(JSON.stringify(old)) as Part;
  change(now);
  return compareDescriptions(old, JSON.parse(JSON.stringify(now)) as Part);
}

const sentences = (changes: Change[]) =>
  changes.map(({ operations, text }) => `${operations.join(', ')}: ${text}`);

/** The worst that is said. */
const verdictOf = (changes: Change[]) =>
  (['break', 'unjudged', 'addition'] as const).find((verdict) =>
    changes.some((change) => change.verdict === verdict),
  ) ?? 'nothing';

test('what did not change has no changes', () => {
  expect(changesAfter(() => undefined)).toEqual([]);
});

test.each(mutations)('$name: $verdict', ({ change, verdict }) => {
  const changes = changesAfter(change);
  expect(verdictOf(changes), sentences(changes).join('\n')).toBe(verdict);
});

test('a change and its reverse are both seen, where it does not allow the same', () => {
  for (const { name, change, verdict } of mutations) {
    const now = JSON.parse(description) as Part;
    change(now);
    const reversed = compareDescriptions(
      JSON.parse(JSON.stringify(now)) as Part,
      JSON.parse(description) as Part,
    );
    if (verdict === 'nothing') expect(reversed, name).toEqual([]);
    else expect(reversed, name).not.toEqual([]);
  }
});

describe('a sentence names the operation and the field, and says which way is safe', () => {
  test.each<[string, (api: Part) => unknown, string[]]>([
    [
      'a narrower rule',
      (api) => set(fieldOf(api, 'NewLead', 'email'), { maxLength: 100 }),
      [
        'createLead, createLeads: in requests, NewLead.email has maxLength 100, and had 254. What clients send today would be refused: leave it, or loosen it.',
      ],
    ],
    [
      'a removed operation',
      (api) => drop(api['paths']!['/v1/leads']!, 'get'),
      ['listLeads: GET /v1/leads is removed. Clients call it: keep it, and add the new one beside it.'],
    ],
    [
      'a removed field of several answers',
      (api) => drop(schemaOf(api, 'Policy')['properties']!, 'content'),
      [
        'listPolicies, updatePolicy: in answers, Policy.content is removed. Clients wait for it: keep it, and add the new one beside it.',
      ],
    ],
    [
      'a new required field',
      (api) => push(schemaOf(api, 'NewLead')['required'], 'email'),
      [
        'createLead, createLeads: in requests, NewLead.email is required, and was not. What clients send today would be refused: leave it, or loosen it.',
      ],
    ],
    [
      'a value that is new in requests and answers',
      (api) => push(schemaOf(api, 'TransferMethod')['enum'], 'HOT'),
      [
        'createTransfer: in requests, NewTransfer.method (TransferMethod) has the new value "HOT".',
        'createTransfer, updateTransfer: in answers, Transfer.method (TransferMethod) has the new value "HOT". Clients that know the old ones alone must pass over it.',
        'updateTransfer: in requests, TransferChanges.method (TransferMethod) has the new value "HOT".',
      ],
    ],
    [
      'a field of an answer that can be missing',
      (api) => pull(schemaOf(api, 'LeadDeleted')['required'], 'message'),
      [
        'deleteLead: in answers, LeadDeleted.message can be missing, and was not. Clients would get what they do not expect: leave it, or tighten it.',
      ],
    ],
    [
      'a parameter',
      (api) => set(parameterOf(api, 'listLeads', 'limit')['schema']!, { maximum: 50 }),
      [
        'listLeads: in requests, the query parameter limit has maximum 50, and had 100. What clients send today would be refused: leave it, or loosen it.',
      ],
    ],
    [
      'a scope',
      (api) => set(operationOf(api, 'listLeads'), { security: [{ bearer: ['write'] }] }),
      [
        "listLeads: it takes bearer write, and took bearer leads:read or bearer read. Clients with today's tokens would be refused: ask for no more than before.",
      ],
    ],
    [
      'parameters in another order',
      (api) => reverse(operationOf(api, 'listLeads')['parameters']),
      [
        'listLeads: its parameters are in another order. Some generated clients take them in that order: keep it.',
      ],
    ],
    [
      'a schema that loses its name',
      (api) =>
        set(schemaOf(api, 'ServiceEnvelope')['properties']!, { service: { ...schemaOf(api, 'Service') } }),
      [
        'createService, getService: the schema Service has no name any more. Generated clients have types of these names: leave them as they are.',
      ],
    ],
    [
      'a rule that nothing here knows',
      (api) => set(fieldOf(api, 'NewLead', 'email'), { contentEncoding: 'base64' }),
      [
        'createLead, createLeads: in requests, NewLead.email has contentEncoding "base64", and had none. No rule here says whether that breaks clients: a person must judge.',
      ],
    ],
  ])('%s', (_, change, said) => {
    expect(sentences(changesAfter(change))).toEqual(said);
  });
});

describe('nothing is passed over', () => {
  test('within a rule that is not known', () => {
    const within = (api: Part) => set(fieldOf(api, 'Lead', 'email'), { allOf: [reference('LeadStatus')] });
    const changes = changesAfter((api) => pull(schemaOf(api, 'LeadStatus')['enum'], 'won'), within);
    const ofEmail = changes.filter(({ text }) => text.includes('Lead.email'));
    expect(ofEmail.map(({ verdict }) => verdict)).toEqual(['unjudged']);
  });

  test('beside a reference, even where what it refers to has the same rule', () => {
    const status = (api: Part) => fieldOf(api, 'NewLead', 'status');
    const within = (api: Part) => set(status(api), { enum: ['won', 'lost'] });
    expect(verdictOf(changesAfter((api) => set(status(api), { maxLength: 3 })))).toBe('break');
    expect(verdictOf(changesAfter((api) => pull(status(api)['enum'], 'won'), within))).toBe('unjudged');
  });

  test('in schemas that refer to themselves', () => {
    const within = (api: Part) => {
      const parent = { parent: { anyOf: [reference('Lead'), { type: 'null' }] } };
      set(schemaOf(api, 'Lead')['properties']!, parent);
    };
    const changes = changesAfter((api) => drop(fieldOf(api, 'Lead', 'id'), 'pattern'), within);
    expect(changes.map(({ verdict }) => verdict)).toEqual(['break']);
  });

  test('among alternatives of one type', () => {
    const texts = (...patterns: string[]) => ({
      anyOf: patterns.map((pattern) => ({ type: 'string', pattern })),
    });
    const within = (api: Part) => set(schemaOf(api, 'NewLead')['properties']!, { code: texts('^a', '^b') });
    const become = (...patterns: string[]) =>
      verdictOf(
        changesAfter(
          (api) => set(schemaOf(api, 'NewLead')['properties']!, { code: texts(...patterns) }),
          within,
        ),
      );
    expect(become('^b', '^a')).toBe('nothing');
    expect(become('^a', '^c')).toBe('unjudged');
    expect(become('^c', '^d')).toBe('unjudged');
    expect(become('^a', '^b', '^c')).toBe('addition');
    expect(become('^a')).toBe('break');
  });

  test('that is required, but has no rules', () => {
    const changes = changesAfter((api) => push(schemaOf(api, 'NewLead')['required'], 'other'));
    expect(sentences(changes)[0]).toMatch(
      /^createLead, createLeads: in requests, NewLead.other is required, and was not/,
    );
  });
});

test('a number without a format can become a whole one in an answer, and not the reverse', () => {
  const to = (type: string) => (api: Part) => set(schemaOf(api, 'Lead')['properties']!, { age: { type } });
  expect(verdictOf(changesAfter(to('integer'), to('number')))).toBe('addition');
  expect(verdictOf(changesAfter(to('number'), to('integer')))).toBe('break');
});

test('a request takes a new kind, and its value of the discriminator', () => {
  const to =
    (...kinds: string[]) =>
    (api: Part) => {
      const mapping = Object.fromEntries(kinds.map((kind) => [kind, reference(kind).$ref]));
      const union = { oneOf: kinds.map(reference), discriminator: { propertyName: 'source', mapping } };
      set(schemaOf(api, 'NewLead')['properties']!, { inquiry: union });
    };
  const [one, two] = [to('CallInquiry'), to('CallInquiry', 'SmsInquiry')];
  expect(sentences(changesAfter(two, one))).toEqual([
    'createLead, createLeads: in requests, NewLead.inquiry may be SmsInquiry.',
  ]);
});

test('a text that gets a name is as it was: no client has a type for it', () => {
  const changes = changesAfter((api) => {
    set(api['components']!['schemas']!, { Email: { ...fieldOf(api, 'Lead', 'email') } });
    set(schemaOf(api, 'Lead')['properties']!, { email: reference('Email') });
  });
  expect(changes).toEqual([]);
});

test('a required field of a body binds clients once it is no longer read-only', () => {
  const within = (api: Part) => push(schemaOf(api, 'NewLead')['required'], 'read');
  const changes = changesAfter((api) => drop(fieldOf(api, 'NewLead', 'read'), 'readOnly'), within);
  expect(sentences(changes)[0]).toBe(
    'createLead, createLeads: in requests, NewLead.read can be written, and was read-only.',
  );
  expect(sentences(changes)[1]).toMatch(
    /^createLead, createLeads: in requests, NewLead.read is required, and was not/,
  );
});

test('a reference that leads nowhere is an error', () => {
  expect(() =>
    changesAfter((api) => set(fieldOf(api, 'LeadPage', 'leads'), { items: reference('Nothing') })),
  ).toThrow('#/components/schemas/Nothing leads nowhere');
});
