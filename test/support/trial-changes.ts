import type { ApiChanges } from '../../infra/release/compare-api.ts';

/** A part of an OpenAPI description that a test changes. */
export interface Part {
  [key: string]: Part;
}

/** A change of the API that tries the comparison of descriptions. */
export interface TrialChange {
  name: string;
  /** Verdict of oasdiff. */
  verdict: keyof ApiChanges;
  change: (api: Part) => unknown;
  /** Sentences of `findObviousBreaks`: `npm test` refuses these changes. */
  obvious?: string[];
}

const operation = (api: Part, operationId: string): Part => {
  const all = Object.values(api['paths']!).flatMap((path) => Object.values(path));
  return all.find((each) => is(each['operationId'], operationId))!;
};
const parameters = (api: Part, operationId: string) => list(operation(api, operationId)['parameters']);
const limit = (api: Part) =>
  (parameters(api, 'listLeads') as Part[]).find((each) => is(each['name'], 'limit'))!;
const schema = (api: Part, name: string) => api['components']!['schemas']![name]!;
const fields = (api: Part, name: string) => schema(api, name)['properties']!;
const list = (part: Part | undefined) => part as unknown as unknown[];
const is = (part: unknown, text: string) => part === text;
const set = (part: Part | undefined, values: object) => Object.assign(part!, values);

/** Removes a key, which must be there. */
function drop(part: Part | undefined, key: string): void {
  if (!(key in part!)) throw new Error(`The description has no ${key}`);
  Reflect.deleteProperty(part!, key);
}

/** Removes a value from a list, which must hold it. */
function pull(part: Part | undefined, value: unknown): void {
  const at = list(part).indexOf(value);
  if (at === -1) throw new Error(`The description has no ${String(value)}`);
  list(part).splice(at, 1);
}

const suburb = (required: boolean) => ({ name: 'suburb', in: 'query', required, schema: { type: 'string' } });

/** One change for each rule of docs/api-changes.md that is ours, and for each kind of obvious break. */
export const trialChanges: TrialChange[] = [
  {
    name: 'an operation is removed',
    verdict: 'breaks',
    change: (api) => {
      drop(api['paths']!['/v1/leads'], 'get');
    },
    obvious: ['GET /v1/leads is removed: keep it.'],
  },
  {
    name: 'an operation is renamed',
    verdict: 'breaks',
    change: (api) => set(operation(api, 'listLeads'), { operationId: 'getLeads' }),
    obvious: ['GET /v1/leads: keep the operationId listLeads, which generated clients call.'],
  },
  {
    name: 'a parameter is removed',
    verdict: 'breaks',
    change: (api) => parameters(api, 'listLeads').pop(),
    obvious: ['listLeads.q (query) is removed from a request: keep it.'],
  },
  {
    name: 'a required parameter is added',
    verdict: 'breaks',
    change: (api) => parameters(api, 'listLeads').push(suburb(true)),
    obvious: ['listLeads.suburb (query) is required in a request: make it optional.'],
  },
  {
    name: 'a field of a request is removed',
    verdict: 'breaks',
    change: (api) => {
      drop(fields(api, 'NewLead'), 'email');
    },
    obvious: ['NewLead.email is removed from a request: keep it.'],
  },
  {
    name: 'a field of a request becomes required',
    verdict: 'breaks',
    change: (api) => list(schema(api, 'NewLead')['required']).push('email'),
    obvious: ['NewLead.email is required in a request: make it optional.'],
  },
  {
    name: 'a field of an answer is removed',
    verdict: 'breaks',
    change: (api) => {
      drop(fields(api, 'InquiryListItem'), 'externalInquiryId');
    },
    obvious: ['InquiryListItem.externalInquiryId is removed from a response: keep it.'],
  },
  {
    name: 'a field of an answer becomes optional',
    verdict: 'breaks',
    change: (api) => {
      pull(schema(api, 'Lead')['required'], 'email');
    },
    obvious: ['Lead.email can be missing from a response: make it required.'],
  },
  {
    name: 'a value is removed from an enumeration of requests and answers',
    verdict: 'breaks',
    change: (api) => {
      pull(schema(api, 'TransferMethod')['enum'], 'WARM');
    },
    obvious: [
      'TransferMethod of a request can no longer be "WARM": keep that.',
      'TransferMethod of a response can no longer be "WARM": keep that.',
    ],
  },
  {
    name: 'a schema loses its name',
    verdict: 'breaks',
    change: (api) => {
      set(fields(api, 'Member'), { role: { ...schema(api, 'MemberRole') } });
      drop(api['components']!['schemas'], 'MemberRole');
    },
    obvious: ['the schema MemberRole is removed: keep its name, which generated clients have a type for.'],
  },
  {
    name: 'a kind is removed from a union',
    verdict: 'breaks',
    change: (api) => {
      set(schema(api, 'BatchResult'), { oneOf: list(schema(api, 'BatchResult')['oneOf']).slice(0, 1) });
    },
    obvious: ['BatchResult of a response can no longer be BatchFailure: keep that.'],
  },
  {
    name: 'an operation is under another tag',
    verdict: 'breaks',
    change: (api) => set(operation(api, 'listLeads'), { tags: ['crm'] }),
  },
  {
    name: 'a parameter of a path is renamed',
    verdict: 'breaks',
    change: (api) => {
      set(api['paths'], { '/v1/scenarios/{id}': api['paths']!['/v1/scenarios/{scenarioId}'] });
      const [id] = parameters(api, 'getScenario') as Part[];
      set(id, { name: 'id' });
      drop(api['paths'], '/v1/scenarios/{scenarioId}');
    },
    obvious: ['GET /v1/scenarios/{scenarioId} is removed: keep it.'],
  },
  {
    name: 'an operation needs another scope',
    verdict: 'breaks',
    change: (api) => set(operation(api, 'listLeads'), { security: [{ bearer: ['write'] }] }),
  },
  {
    name: 'a default changes',
    verdict: 'breaks',
    change: (api) => set(limit(api)['schema'], { default: 20 }),
  },
  {
    name: 'a text of a request becomes shorter',
    verdict: 'breaks',
    change: (api) => set(fields(api, 'NewLead')['email'], { maxLength: 100 }),
  },
  {
    name: 'a field of an answer can be null',
    verdict: 'breaks',
    change: (api) => set(fields(api, 'Lead')['email'], { type: ['string', 'null'] }),
  },
  {
    name: 'a status of success is added',
    verdict: 'breaks',
    change: (api) => {
      const responses = operation(api, 'createLead')['responses']!;
      set(responses, { '200': responses['201'] });
    },
  },
  {
    name: 'a pattern changes',
    verdict: 'unsure',
    change: (api) => set(fields(api, 'NewLead')['email'], { pattern: '^[a-z]+$' }),
  },
  {
    name: 'two kinds of a union swap the values that tell them apart',
    verdict: 'unsure',
    change: (api) => {
      const { mapping } = schema(api, 'Inquiry')['discriminator']!;
      set(mapping, { CALL: mapping!['SMS'], SMS: mapping!['CALL'] });
    },
  },
  {
    name: 'an operation is added',
    verdict: 'additions',
    change: (api) =>
      set(api['paths']!['/v1/leads'], { put: { ...operation(api, 'listLeads'), operationId: 'putLeads' } }),
  },
  {
    name: 'an optional parameter is added',
    verdict: 'additions',
    change: (api) => parameters(api, 'listLeads').push(suburb(false)),
  },
  {
    name: 'a value is added to an enumeration of answers',
    verdict: 'additions',
    change: (api) => list(schema(api, 'ActivityEvent')['enum']).push('LEAD_MERGED'),
  },
  {
    name: 'a field is added to an answer',
    verdict: 'additions',
    change: (api) => set(fields(api, 'Lead'), { language: { type: 'string' } }),
  },
  {
    name: 'a field of a request can be null',
    verdict: 'additions',
    change: (api) => set(fields(api, 'NewLead')['email'], { type: ['string', 'null'] }),
  },
];
