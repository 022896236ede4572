import type { ApiChanges } from '../../../infra/release/compare-api.ts';

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

const all = (verdict: keyof ApiChanges, changes: Record<string, TrialChange['change']>) =>
  Object.entries(changes).map(([name, change]): TrialChange => ({ name, verdict, change }));

/** Changes that clients depend on most, and a change for each of our own rules in docs/api-changes.md. */
export const trialChanges: TrialChange[] = [
  ...all('breaks', {
    'an operation is removed': (api) => drop(api['paths']!['/v1/leads'], 'get'),
    'an operation is renamed': (api) => set(operation(api, 'listLeads'), { operationId: 'getLeads' }),
    'a parameter is removed': (api) => parameters(api, 'listLeads').pop(),
    'a required parameter is added': (api) => parameters(api, 'listLeads').push(suburb(true)),
    'a field of a request is removed': (api) => drop(fields(api, 'NewLead'), 'email'),
    'a field of a request becomes required': (api) => list(schema(api, 'NewLead')['required']).push('email'),
    'a field of an answer is removed': (api) => drop(fields(api, 'InquiryListItem'), 'externalInquiryId'),
    'a field of an answer becomes optional': (api) => pull(schema(api, 'Lead')['required'], 'email'),
    'a value is removed from an enumeration of requests and answers': (api) =>
      pull(schema(api, 'TransferMethod')['enum'], 'WARM'),
    'a schema loses its name': (api) => {
      for (const user of ['Member', 'MemberChanges', 'Invitation', 'SentInvitation', 'NewInvitation'])
        set(fields(api, user), { role: { ...schema(api, 'MemberRole') } });
      drop(api['components']!['schemas'], 'MemberRole');
    },
    'a kind is removed from a union': (api) =>
      set(schema(api, 'BatchResult'), { oneOf: list(schema(api, 'BatchResult')['oneOf']).slice(0, 1) }),
    'an operation is under another tag': (api) => set(operation(api, 'listLeads'), { tags: ['crm'] }),
    'a parameter of a path is renamed': (api) => {
      const path = '/v1/leads/{leadId}/activities';
      set(api['paths'], { '/v1/leads/{id}/activities': api['paths']![path] });
      const [id] = parameters(api, 'listLeadActivities') as Part[];
      set(id, { name: 'id' });
      drop(api['paths'], path);
    },
    'an operation needs another scope': (api) =>
      set(operation(api, 'listLeads'), { security: [{ bearer: ['write'] }] }),
    'a default changes': (api) => set(limit(api)['schema'], { default: 20 }),
    'a text of a request becomes shorter': (api) => set(fields(api, 'NewLead')['email'], { maxLength: 100 }),
    'a field of an answer can be null': (api) =>
      set(fields(api, 'Lead')['email'], { type: ['string', 'null'] }),
    'a status of success is added': (api) => {
      const responses = operation(api, 'createLead')['responses']!;
      set(responses, { '200': responses['201'] });
    },
  }),
  ...all('unsure', {
    'a pattern changes': (api) => set(fields(api, 'NewLead')['email'], { pattern: '^[a-z]+$' }),
    'two kinds of a union swap the values that tell them apart': (api) => {
      const { mapping } = schema(api, 'Inquiry')['discriminator']!;
      set(mapping, { CALL: mapping!['SMS'], SMS: mapping!['CALL'] });
    },
  }),
  ...all('additions', {
    'an operation is added': (api) =>
      set(api['paths']!['/v1/leads'], {
        patch: { ...operation(api, 'listLeads'), operationId: 'patchLeads' },
      }),
    'an optional parameter is added': (api) => parameters(api, 'listLeads').push(suburb(false)),
    'a value is added to an enumeration of answers': (api) =>
      list(schema(api, 'ActivityEvent')['enum']).push('LEAD_MERGED'),
    'a field is added to an answer': (api) => set(fields(api, 'Lead'), { language: { type: 'string' } }),
    'a field of a request can be null': (api) =>
      set(fields(api, 'NewLead')['email'], { type: ['string', 'null'] }),
  }),
];
