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
function drop(part: Part | undefined, key: string): boolean {
  if (!(key in part!)) throw new Error(`The description has no ${key}`);
  return Reflect.deleteProperty(part!, key);
}

/** Removes a value from a list, which must hold it. */
function pull(part: Part | undefined, value: unknown): unknown[] {
  const at = list(part).indexOf(value);
  if (at === -1) throw new Error(`The description has no ${String(value)}`);
  return list(part).splice(at, 1);
}

const suburb = (required: boolean) => ({ name: 'suburb', in: 'query', required, schema: { type: 'string' } });

const all = (verdict: keyof ApiChanges, changes: Record<string, Omit<TrialChange, 'name' | 'verdict'>>) =>
  Object.entries(changes).map(([name, rest]): TrialChange => ({ name, verdict, ...rest }));

/** One change for each rule of docs/api-changes.md that is ours, and for each kind of obvious break. */
export const trialChanges: TrialChange[] = [
  ...all('breaks', {
    'an operation is removed': {
      change: (api) => drop(api['paths']!['/v1/leads'], 'get'),
      obvious: ['GET /v1/leads is removed: keep it.'],
    },
    'an operation is renamed': {
      change: (api) => set(operation(api, 'listLeads'), { operationId: 'getLeads' }),
      obvious: ['GET /v1/leads: keep the operationId listLeads, which generated clients call.'],
    },
    'a parameter is removed': {
      change: (api) => parameters(api, 'listLeads').pop(),
      obvious: ['listLeads.q (query) is removed from a request: keep it.'],
    },
    'a required parameter is added': {
      change: (api) => parameters(api, 'listLeads').push(suburb(true)),
      obvious: ['listLeads.suburb (query) is required in a request: make it optional.'],
    },
    'a field of a request is removed': {
      change: (api) => drop(fields(api, 'NewLead'), 'email'),
      obvious: ['NewLead.email is removed from a request: keep it.'],
    },
    'a field of a request becomes required': {
      change: (api) => list(schema(api, 'NewLead')['required']).push('email'),
      obvious: ['NewLead.email is required in a request: make it optional.'],
    },
    'a field of an answer is removed': {
      change: (api) => drop(fields(api, 'InquiryListItem'), 'externalInquiryId'),
      obvious: ['InquiryListItem.externalInquiryId is removed from a response: keep it.'],
    },
    'a field of an answer becomes optional': {
      change: (api) => pull(schema(api, 'Lead')['required'], 'email'),
      obvious: ['Lead.email can be missing from a response: make it required.'],
    },
    'a value is removed from an enumeration of requests and answers': {
      change: (api) => pull(schema(api, 'TransferMethod')['enum'], 'WARM'),
      obvious: [
        'TransferMethod of a response can no longer be "WARM": keep that.',
        'TransferMethod of a request can no longer be "WARM": keep that.',
      ],
    },
    'a schema loses its name': {
      change: (api) => {
        set(fields(api, 'Member'), { role: { ...schema(api, 'MemberRole') } });
        drop(api['components']!['schemas'], 'MemberRole');
      },
      obvious: ['the schema MemberRole is removed: keep its name, which generated clients have a type for.'],
    },
    'a kind is removed from a union': {
      change: (api) =>
        set(schema(api, 'BatchResult'), { oneOf: list(schema(api, 'BatchResult')['oneOf']).slice(0, 1) }),
      obvious: ['BatchResult of a response can no longer be BatchFailure: keep that.'],
    },
    'an operation is under another tag': {
      change: (api) => set(operation(api, 'listLeads'), { tags: ['crm'] }),
    },
    'a parameter of a path is renamed': {
      change: (api) => {
        const path = '/v1/leads/{leadId}/activities';
        set(api['paths'], { '/v1/leads/{id}/activities': api['paths']![path] });
        const [id] = parameters(api, 'listLeadActivities') as Part[];
        set(id, { name: 'id' });
        drop(api['paths'], path);
      },
      obvious: ['GET /v1/leads/{leadId}/activities is removed: keep it.'],
    },
    'an operation needs another scope': {
      change: (api) => set(operation(api, 'listLeads'), { security: [{ bearer: ['write'] }] }),
    },
    'a default changes': { change: (api) => set(limit(api)['schema'], { default: 20 }) },
    'a text of a request becomes shorter': {
      change: (api) => set(fields(api, 'NewLead')['email'], { maxLength: 100 }),
    },
    'a field of an answer can be null': {
      change: (api) => set(fields(api, 'Lead')['email'], { type: ['string', 'null'] }),
    },
    'a status of success is added': {
      change: (api) => {
        const responses = operation(api, 'createLead')['responses']!;
        set(responses, { '200': responses['201'] });
      },
    },
  }),
  ...all('unsure', {
    'a pattern changes': { change: (api) => set(fields(api, 'NewLead')['email'], { pattern: '^[a-z]+$' }) },
    'two kinds of a union swap the values that tell them apart': {
      change: (api) => {
        const { mapping } = schema(api, 'Inquiry')['discriminator']!;
        set(mapping, { CALL: mapping!['SMS'], SMS: mapping!['CALL'] });
      },
    },
  }),
  ...all('additions', {
    'an operation is added': {
      change: (api) =>
        set(api['paths']!['/v1/leads'], {
          patch: { ...operation(api, 'listLeads'), operationId: 'patchLeads' },
        }),
    },
    'an optional parameter is added': { change: (api) => parameters(api, 'listLeads').push(suburb(false)) },
    'a value is added to an enumeration of answers': {
      change: (api) => list(schema(api, 'ActivityEvent')['enum']).push('LEAD_MERGED'),
    },
    'a field is added to an answer': {
      change: (api) => set(fields(api, 'Lead'), { language: { type: 'string' } }),
    },
    'a field of a request can be null': {
      change: (api) => set(fields(api, 'NewLead')['email'], { type: ['string', 'null'] }),
    },
  }),
];
