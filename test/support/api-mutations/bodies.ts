import { drop, fieldOf, operationOf, pop, pull, push, schemaOf, set, type Part } from './description.ts';
import { adds, breaks, nothing, unjudged, unlikeOasdiff } from './mutation.ts';

const email = (api: Part) => fieldOf(api, 'NewLead', 'email');
const newLead = (api: Part) => schemaOf(api, 'NewLead');
const scenario = (api: Part) => fieldOf(api, 'NewTransfer', 'scenarioId');
const requestOf = (api: Part, operationId: string) => operationOf(api, operationId)['requestBody']!;
const jsonOf = (api: Part, operationId: string) =>
  requestOf(api, operationId)['content']!['application/json']!;
const language = { language: { type: 'string' } };

/** What a client sends in a body. */
export const bodyMutations = [
  breaks('a field is removed', (api) => drop(newLead(api)['properties']!, 'email')),
  breaks(
    'a read-only field is removed',
    (api) => drop(newLead(api)['properties']!, 'unreadSMS'),
    unlikeOasdiff.passedOver,
  ),
  breaks('a field is required', (api) => push(newLead(api)['required'], 'email')),
  breaks('a required field is added', (api) => {
    set(newLead(api)['properties']!, language);
    push(newLead(api)['required'], 'language');
  }),
  adds('a read-only field is added that is required, which goes for answers alone', (api) => {
    set(newLead(api)['properties']!, { language: { type: 'string', readOnly: true } });
    push(newLead(api)['required'], 'language');
  }),
  nothing('a read-only field is required, which goes for answers alone', (api) =>
    push(newLead(api)['required'], 'read'),
  ),
  breaks(
    'a schema has no name any more',
    (api) => {
      set(schemaOf(api, 'ProductUpdate')['properties']!, {
        pricing: { ...schemaOf(api, 'ProductPricing') },
      });
      drop(api['components']!['schemas']!, 'ProductPricing');
    },
    unlikeOasdiff.named,
  ),
  adds('an optional field is added', (api) => set(newLead(api)['properties']!, language)),
  adds('a field is no longer required', (api) => pull(schemaOf(api, 'NewTransfer')['required'], 'label')),
  breaks('a field is renamed', (api) => {
    set(newLead(api)['properties']!, { mail: email(api) });
    drop(newLead(api)['properties']!, 'email');
  }),
  breaks('a field of a part is required', (api) =>
    push(schemaOf(api, 'NewTransferSettings')['required'], 'ignore_business_hours'),
  ),
  breaks('a field of an item is removed', (api) =>
    drop(schemaOf(api, 'NewProductFaq')['properties']!, 'answer'),
  ),
  breaks('maxLength sinks', (api) => set(email(api), { maxLength: 100 })),
  adds('maxLength grows', (api) => set(email(api), { maxLength: 300 })),
  adds('maxLength goes', (api) => drop(email(api), 'maxLength')),
  breaks('maxLength comes', (api) => set(fieldOf(api, 'NewProductFaq', 'question'), { maxLength: 100 })),
  breaks('minLength comes', (api) => set(email(api), { minLength: 3 })),
  unjudged('a pattern changes', (api) => set(email(api), { pattern: '^[a-z]+$' })),
  adds('a pattern goes', (api) => drop(email(api), 'pattern')),
  breaks('minimum grows', (api) => set(fieldOf(api, 'NewProduct', 'tradeCategoryId'), { minimum: 5 })),
  breaks('maximum sinks', (api) => set(fieldOf(api, 'NewProduct', 'tradeCategoryId'), { maximum: 5 })),
  breaks('maxItems sinks', (api) => set(fieldOf(api, 'ProductBatch', 'updates'), { maxItems: 5 })),
  adds('maxItems grows', (api) => set(fieldOf(api, 'ProductBatch', 'updates'), { maxItems: 5000 })),
  breaks('minItems grows', (api) => set(fieldOf(api, 'ProductBatch', 'updates'), { minItems: 2 })),
  breaks('maxProperties sinks', (api) => set(fieldOf(api, 'NewLead', 'socials'), { maxProperties: 2 })),
  breaks('the names in a map are shorter', (api) =>
    set(fieldOf(api, 'NewLead', 'socials')['propertyNames']!, { maxLength: 5 }),
  ),
  breaks('the values in a map are shorter', (api) =>
    set(fieldOf(api, 'NewLead', 'socials')['additionalProperties']!, { maxLength: 5 }),
  ),
  breaks(
    'a map is closed',
    (api) => set(fieldOf(api, 'NewLead', 'socials'), { additionalProperties: false }),
    unlikeOasdiff.passedOver,
  ),
  breaks('a type is another', (api) => set(fieldOf(api, 'NewLead', 'socials'), { type: 'array' })),
  breaks('a number is whole', (api) =>
    set(fieldOf(api, 'NewProduct', 'price'), { type: 'integer', format: 'int64' }),
  ),
  breaks('null is no longer taken', (api) => pop(scenario(api)['anyOf'])),
  adds('null is taken', (api) => set(email(api), { type: ['string', 'null'] })),
  nothing(
    'null is taken in another notation',
    (api) => {
      set(scenario(api), { ...scenario(api)['anyOf']!['0'], type: ['integer', 'null'] });
      drop(scenario(api), 'anyOf');
    },
    unlikeOasdiff.notation,
  ),
  breaks('a value is removed', (api) => pull(schemaOf(api, 'TransferMethod')['enum'], 'WARM')),
  breaks('a text is one of some values', (api) => set(email(api), { enum: ['a@example.com'] })),
  breaks('a format comes', (api) => set(email(api), { format: 'email' })),
  breaks('a field becomes read-only', (api) => set(email(api), { readOnly: true }), unlikeOasdiff.ignored),
  unjudged('a rule comes that is not known', (api) => set(email(api), { contentEncoding: 'base64' })),
  adds('a body may be left out', (api) => set(requestOf(api, 'createLead'), { required: false })),
  breaks('a body goes', (api) => drop(operationOf(api, 'createLead'), 'requestBody')),
  breaks('a required body comes', (api) =>
    set(operationOf(api, 'deleteLead'), { requestBody: requestOf(api, 'createLead') }),
  ),
  breaks('the content of a body is of another type', (api) => {
    set(requestOf(api, 'createLead')['content']!, { 'application/xml': jsonOf(api, 'createLead') });
    drop(requestOf(api, 'createLead')['content']!, 'application/json');
  }),
  nothing('a sentence is another', (api) => set(email(api), { description: 'Where to write to' })),
  nothing('an example is another', (api) => set(jsonOf(api, 'createLead'), { example: { name: 'Ada' } })),
];
