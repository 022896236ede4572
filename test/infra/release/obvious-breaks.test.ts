import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import { findObviousBreaks } from '../../../infra/release/obvious-breaks.ts';
import { parseDescription } from '../../../infra/release/released.ts';
import { trialChanges, type Part } from '../../support/trial-changes.ts';

const description = JSON.stringify(openApiDocument(await findContracts()));

/** Finds the obvious breaks of a change. Both descriptions have what `before` changes. */
function breaksAfter(change: (api: Part) => unknown, before: (api: Part) => unknown = () => undefined) {
  const [old, now] = [JSON.parse(description) as Part, JSON.parse(description) as Part];
  before(old);
  before(now);
  change(now);
  return findObviousBreaks(parseDescription(JSON.stringify(old)), parseDescription(JSON.stringify(now)));
}

test.each(trialChanges)('the obvious breaks are found where $name', ({ change, obvious }) => {
  expect(breaksAfter(change)).toEqual(obvious ?? []);
});

test('schemas that refer to themselves are compared once', () => {
  const parent = { parent: { anyOf: [{ $ref: '#/components/schemas/Lead' }, { type: 'null' }] } };
  const lead = (api: Part) => api['components']!['schemas']!['Lead']!['properties']!;
  expect(
    breaksAfter(
      (api) => Reflect.deleteProperty(lead(api), 'email'),
      (api) => Object.assign(lead(api), parent),
    ),
  ).toEqual(['Lead.email is removed from a response: keep it.']);
});
