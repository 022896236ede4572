import type { LeftOut } from '../support/vitest/left-out-reporter.ts';

const ownMachine = 'It starts a machine of its own, whose clock it moves.';
const atOnce = 'It sends 40 requests or more at once: more than the functions of a new AWS account at once.';
const sends = 'It would send real SMS.';
const refusedFirst = 'It asks for an SMS, and the only thing between it and a real one is what it tests.';
const costs = 'Only the local machine tells in a header what a request cost.';
const exact = 'A trailing index of a deployed table is read again, which costs more.';
const ownKey = 'It encrypts a secret as an operator does, by the key of the local machine.';
const localNames = 'It gives the API other names, by which only the local machine can be reached.';

/** Tests of files that are left out for one reason. */
const some = (why: string, tests: Record<string, RegExp>): LeftOut[] =>
  Object.entries(tests).map(([name, test]) => ({ file: `test/functional/${name}.test.ts`, test, why }));

/**
 * Functional tests that are not run against a deployed stack: tests that only the local machine can pass, and
 * all tests that send SMS.
 */
export const leftOut: readonly LeftOut[] = [
  { file: 'test/functional/workers.test.ts', why: ownMachine },
  { file: 'test/functional/incoming-sms.test.ts', why: ownMachine },
  { file: 'test/functional/sms-off.full.test.ts', why: ownMachine },
  { file: 'test/functional/keep-warm.full.test.ts', why: ownMachine },
  { file: 'test/functional/webhook-deliveries.test.ts', why: ownMachine },
  { file: 'test/functional/sms.test.ts', why: sends },
  { file: 'test/functional/agents.test.ts', why: sends },
  { file: 'test/functional/roles.test.ts', why: sends },
  { file: 'test/functional/cost-headers.test.ts', why: exact },
  { file: 'test/functional/voice-guides.test.ts', why: ownKey },
  {
    file: 'test/functional/contention.full.test.ts',
    why: atOnce,
  },
  { file: 'test/functional/open-api.test.ts', test: /^the server of the description /, why: localNames },
  ...some(ownKey, { calls: /^a key with a secret /, receptionist: /by a key with a secret$/ }),
  ...some(atOnce, { 'idempotency.full': /^fifty requests at once/ }),
  ...some(sends, {
    'idempotency.full': /^(sendSms is carried out once|an SMS to)/,
    'writer-queue': /^sendSms takes a number/,
    'what-can-be-undone.full': /Send a text message$/,
    'new-organization': /sends an SMS$/,
  }),
  ...some(refusedFirst, {
    'every-endpoint': /^a query parameter that sendSms does not know is refused$/,
    authentication: /^a key as Bearer is 403/,
  }),
  ...some(costs, {
    'open-api': /^the served description is that of the contracts, at no cost$/,
    appointments: /^a change of other fields merges/,
    availability: /^availability costs the same/,
    companies: /^a company stays as it is, at no cost/,
    'event-records': /^the records of events are there once each/,
    'numbered-records': /stays as it is, at no cost/,
    forms: /^(a form that a robot has filled in|the largest possible form costs)/,
    'lead-batch': /^a batch of leads of 100 is stored/,
    inquiries:
      /^(the list of inquiries (costs one read|is empty, with no pages)|a page that shows its 50 leads|the lists of unread)/,
    'inquiry-sources': /^an inquiry by \w+ is counted by its lead/,
    'lead-changes': /^(a change of .* costs|a lead that is changed stays as it is)/,
    'lead-upserts': /^(an upsert that .* costs|an upsert by \w+ creates a lead)/,
    'lead-search': /^a search costs/,
    'lead-filters': /^(a list of .* costs|the lead with an email or a phone number is found by \{)/,
    'product-batch': /^a batch of 20 items takes/,
    products: /^a price of -0 is 0/,
    services: /^a service is created with its scenario/,
  }),
];
