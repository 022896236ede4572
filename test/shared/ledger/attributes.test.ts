import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';

test('gives what the AWS SDK gives, for every kind of value that the ledger stores', () => {
  const item = {
    text: 'Ann',
    none: '',
    number: 12.5,
    negative: -3,
    large: Number.MAX_SAFE_INTEGER,
    yes: true,
    no: false,
    nothing: null,
    list: ['a', 1, null, ['b'], { c: false }],
    map: { empty: {}, inner: { deep: [0] } },
    texts: new Set(['a', 'b']),
    numbers: new Set([1, 4096]),
  };
  expect(toItem(marshall(item))).toEqual(item);
  expect(toItem(marshall(item))).toEqual(unmarshall(marshall(item)));
});

test('a name that objects have of their own is a name like any other', () => {
  const item = toItem({ fields: { M: { constructor: { S: 'x' }, ['__proto__']: { S: 'y' } } } });
  expect(Object.keys(item['fields'] as object)).toEqual(['constructor', '__proto__']);
});

test('what the ledger never stores is refused', () => {
  expect(() => toItem({ bytes: { B: new Uint8Array(1) } })).toThrow('does not store');
});
