import * as v from 'valibot';
import { expect, test } from 'vitest';
import { namingHeadPattern, parseNamingHead } from '../../../shared/ledger/index.ts';
import { FilterPattern, passes } from '../../../infra/local/template/filter-pattern.ts';

const pattern = v.parse(FilterPattern, namingHeadPattern('WEBHOOK'));
const head = (changes: object = {}) => ({
  pk: { S: 'ORG#6H8EV880' },
  sk: { S: 'HEAD' },
  version: { N: '41' },
  named: { M: { WEBHOOK: { S: '1 4 17' } } },
  ...changes,
});
const record = (image: ReturnType<typeof head>) => ({
  eventName: 'MODIFY',
  dynamodb: { Keys: { pk: image.pk, sk: image.sk }, NewImage: image },
});

test('the head in a record of the stream has its organization, its version, and the numbers that it names', () => {
  expect(parseNamingHead('WEBHOOK', head())).toEqual({
    organization: '6H8EV880',
    version: 41,
    numbers: [1, 4, 17],
  });
  expect(() => parseNamingHead('WEBHOOK', head({ pk: { S: 'TOKEN#0a1b' } }))).toThrow();
});

test.each([
  ['a head that names webhooks', head(), true],
  ['a head that names others', head({ named: { M: { FLAG: { S: '1' } } } }), false],
  ['a head that names none', head({ named: undefined }), false],
  ['another item', head({ sk: { S: 'IMPORT' } }), false],
])('the filter lets pass %s: %s', (_, image, isPassed) => {
  expect(passes(pattern, record(image))).toBe(isPassed);
});

test('a removed item has no new image, and does not pass', () => {
  expect(passes(pattern, { dynamodb: { Keys: { sk: { S: 'HEAD' } } } })).toBe(false);
});
