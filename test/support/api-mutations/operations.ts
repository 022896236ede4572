import {
  drop,
  operationOf,
  parameterOf,
  pop,
  pull,
  push,
  reverse,
  schemaOf,
  set,
  unshift,
  type Part,
} from './description.ts';
import { adds, breaks, nothing, unjudged, unlikeOasdiff } from './mutation.ts';

const paths = (api: Part) => api['paths']!;
const parameters = (api: Part, operationId: string) => operationOf(api, operationId)['parameters'];
const limit = (api: Part) => parameterOf(api, 'listLeads', 'limit');
const leadId = (api: Part) => parameterOf(api, 'listInquiries', 'leadId');
const suburb = (required: boolean) => ({ name: 'suburb', in: 'query', required, schema: { type: 'string' } });

/** Operations, and what stands in their address and their token. */
export const operationMutations = [
  breaks('an operation is removed', (api) => drop(paths(api)['/v1/leads']!, 'get')),
  breaks('a path is removed', (api) => drop(paths(api), '/v1/faqs')),
  breaks('a path is another', (api) => {
    set(paths(api), { '/v1/questions': paths(api)['/v1/faqs'] });
    drop(paths(api), '/v1/faqs');
  }),
  breaks('a method is another', (api) => {
    set(paths(api)['/v1/policies/{policyId}']!, { patch: operationOf(api, 'updatePolicy') });
    drop(paths(api)['/v1/policies/{policyId}']!, 'put');
  }),
  adds('an operation is added', (api) =>
    set(paths(api)['/v1/faqs']!, { get: { ...operationOf(api, 'listPolicies'), operationId: 'listFaqs' } }),
  ),
  adds('a path is added', (api) =>
    set(paths(api), {
      '/v1/questions': { get: { ...operationOf(api, 'listPolicies'), operationId: 'listQuestions' } },
    }),
  ),
  breaks(
    'an operation is renamed',
    (api) => set(operationOf(api, 'listLeads'), { operationId: 'getLeads' }),
    unlikeOasdiff.named,
  ),
  breaks(
    'an operation is under another tag',
    (api) => set(operationOf(api, 'listLeads'), { tags: ['crm'] }),
    unlikeOasdiff.named,
  ),
  adds('an operation is deprecated', (api) => set(operationOf(api, 'listLeads'), { deprecated: true })),
  breaks('a parameter is removed', (api) => pop(parameters(api, 'listLeads'))),
  breaks('a required parameter is added', (api) => push(parameters(api, 'listLeads'), suburb(true))),
  adds('a parameter is added', (api) => push(parameters(api, 'listLeads'), suburb(false))),
  adds('a parameter is added before the others', (api) =>
    unshift(parameters(api, 'listLeads'), suburb(false)),
  ),
  breaks(
    'the parameters are in another order',
    (api) => reverse(parameters(api, 'listInquiries')),
    unlikeOasdiff.ordered,
  ),
  breaks('a parameter is required', (api) => set(limit(api), { required: true })),
  breaks('a parameter is renamed', (api) => set(limit(api), { name: 'size' })),
  breaks(
    'a parameter of the path is renamed',
    (api) => {
      set(paths(api), { '/v1/scenarios/{id}': paths(api)['/v1/scenarios/{scenarioId}'] });
      set(parameterOf(api, 'getScenario', 'scenarioId'), { name: 'id' });
      drop(paths(api), '/v1/scenarios/{scenarioId}');
    },
    unlikeOasdiff.named,
  ),
  breaks('the maximum of a parameter sinks', (api) => set(limit(api)['schema']!, { maximum: 50 })),
  adds('the maximum of a parameter grows', (api) => set(limit(api)['schema']!, { maximum: 200 })),
  breaks(
    'the default of a parameter is another',
    (api) => set(limit(api)['schema']!, { default: 20 }),
    unlikeOasdiff.defaults,
  ),
  breaks(
    'the default of a parameter goes',
    (api) => drop(limit(api)['schema']!, 'default'),
    unlikeOasdiff.defaults,
  ),
  adds('a parameter has a default', (api) => set(leadId(api)['schema']!, { default: 'lead_0' })),
  breaks('the type of a parameter is another', (api) => set(leadId(api), { schema: { type: 'integer' } })),
  breaks('a value of a parameter is removed', (api) =>
    pull(schemaOf(api, 'InquiryExpansion')['enum'], 'both'),
  ),
  adds('a value of a parameter is added', (api) => push(schemaOf(api, 'InquiryExpansion')['enum'], 'all')),
  unjudged(
    'a parameter is written in another way',
    (api) => set(limit(api), { style: 'pipeDelimited' }),
    unlikeOasdiff.passedOver,
  ),
  breaks('an operation needs another scope', (api) =>
    set(operationOf(api, 'listLeads'), { security: [{ bearer: ['write'] }] }),
  ),
  adds('an operation takes a narrower scope, too', (api) =>
    push(operationOf(api, 'listLeads')['security'], { bearer: ['leads:list'] }),
  ),
  breaks('an operation no longer takes a wider scope', (api) =>
    pop(operationOf(api, 'listLeads')['security']),
  ),
  breaks('an operation needs a further scope', (api) =>
    set(operationOf(api, 'listLeads'), { security: [{ bearer: ['read', 'write'] }] }),
  ),
  breaks(
    'an operation needs a token',
    (api) => set(operationOf(api, 'getOpenApi'), { security: [{ bearer: ['read'] }] }),
    unlikeOasdiff.firstToken,
  ),
  adds(
    'an operation needs no token',
    (api) => set(operationOf(api, 'listLeads'), { security: [] }),
    unlikeOasdiff.lastToken,
  ),
  adds('an operation takes another kind of token, too', (api) => {
    set(api['components']!['securitySchemes']!, { own: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } });
    push(operationOf(api, 'listLeads')['security'], { own: [] });
  }),
  unjudged(
    'the token is of another kind',
    (api) => set(api['components']!['securitySchemes']!, { bearer: { type: 'http', scheme: 'basic' } }),
    unlikeOasdiff.passedOver,
  ),
  unjudged(
    'the description is of another version of OpenAPI',
    (api) => set(api, { openapi: '3.2.0' }),
    unlikeOasdiff.passedOver,
  ),
  unjudged(
    'an operation calls back',
    (api) => set(operationOf(api, 'listLeads'), { callbacks: {} }),
    unlikeOasdiff.passedOver,
  ),
  nothing('summaries, sentences and the version are others', (api) => {
    set(operationOf(api, 'listLeads'), { summary: 'Leads', description: 'All of them.' });
    set(api['info']!, { version: '9.9.9', description: 'An API.' });
  }),
];
