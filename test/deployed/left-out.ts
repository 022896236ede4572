import type { LeftOut } from '../support/left-out.ts';

const ownMachine = 'It starts a machine of its own, whose clock it moves.';
const sends = 'It would send real SMS.';
const refusedFirst = 'It asks for an SMS, and the only thing between it and a real one is what it tests.';
const costs = 'Only the local machine tells in a header what a request cost.';
const localNames = 'It gives the API other names, by which only the local machine can be reached.';

/**
 * Functional tests that are not run against a deployed stack: those that only the local machine can pass, and
 * all that send SMS.
 */
export const leftOut: readonly LeftOut[] = [
  { file: 'test/functional/workers.test.ts', why: ownMachine },
  { file: 'test/functional/faults.test.ts', why: ownMachine },
  { file: 'test/functional/incoming-sms.test.ts', why: ownMachine },
  { file: 'test/functional/sms.test.ts', why: sends },
  { file: 'test/functional/generated-clients.test.ts', why: sends },
  { file: 'test/functional/turns.test.ts', test: /^sendSms takes a number/, why: sends },
  {
    file: 'test/functional/input-rules.test.ts',
    test: /^a query parameter that sendSms does not know is refused$/,
    why: refusedFirst,
  },
  {
    file: 'test/functional/contention.test.ts',
    why: 'It sends 200 requests at once: more than the rate of dev, or the functions of a new AWS account at once.',
  },
  { file: 'test/functional/open-api.test.ts', test: /^the server of the description /, why: localNames },
  {
    file: 'test/functional/open-api.test.ts',
    test: /^the served description is that of the contracts, at no cost$/,
    why: costs,
  },
  {
    file: 'test/functional/products.test.ts',
    test: /^no product has the id batch$/,
    why: 'API Gateway looks for the path first, then for its method: the path of the batch has no PUT.',
  },
  { file: 'test/functional/authentication.test.ts', test: /^a key as Bearer is 403/, why: refusedFirst },
  { file: 'test/functional/companies.test.ts', test: /^a company's notes are (listed|none)/, why: costs },
  {
    file: 'test/functional/forms.test.ts',
    test: /^(a form that a robot has filled in|the largest possible form costs)/,
    why: costs,
  },
  { file: 'test/functional/lead-batch.test.ts', test: /^a batch of leads of 100 is stored/, why: costs },
  { file: 'test/functional/input-rules.test.ts', test: /^a price of -0 is 0/, why: costs },
  {
    file: 'test/functional/inquiries.test.ts',
    test: /^the list of inquiries (costs one read|is empty, with no pages)/,
    why: costs,
  },
  { file: 'test/functional/inquiries.test.ts', test: /^a page that shows its 50 leads/, why: costs },
  {
    file: 'test/functional/inquiry-filters.test.ts',
    test: /^the lists of unread inquiries and of tags cost/,
    why: costs,
  },
  { file: 'test/functional/inquiry-changes.test.ts', test: /^an SMS inquiry that was sent/, why: sends },
  { file: 'test/functional/inquiry-reads.test.ts', test: /^an inquiry of source \w+ is read/, why: costs },
  {
    file: 'test/functional/lead-changes.test.ts',
    test: /^(a change of .* costs|a lead that is changed stays as it is)/,
    why: costs,
  },
  {
    file: 'test/functional/lead-filters.test.ts',
    test: /^(a list of .* costs|the lead with an email or a phone number is found by \{)/,
    why: costs,
  },
  { file: 'test/functional/leads.test.ts', test: /^the list of leads is empty/, why: costs },
  {
    file: 'test/functional/organization.test.ts',
    test: /^(the list of members has those|the services by category are listed)/,
    why: costs,
  },
  { file: 'test/functional/pipeline.test.ts', test: /^the pipeline is empty/, why: costs },
  { file: 'test/functional/policies.test.ts', test: /^a policy is not changed by an empty body/, why: costs },
  { file: 'test/functional/policies.test.ts', test: /^the list of policies (has|is empty)/, why: costs },
  { file: 'test/functional/product-batch.test.ts', test: /^a batch of 100 items takes/, why: costs },
  {
    file: 'test/functional/services.test.ts',
    test: /^(a scenario is created with|a service is read with)/,
    why: costs,
  },
];
