import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';

test('converts every kind of value that the ledger stores as the AWS SDK does', () => {
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

test('an attribute may have the name of an object’s own property', () => {
  const item = toItem({ fields: { M: { constructor: { S: 'x' }, ['__proto__']: { S: 'y' } } } });
  expect(Object.keys(item['fields'] as object)).toEqual(['constructor', '__proto__']);
});

test('a kind of value that the ledger never stores is refused', () => {
  expect(() => toItem({ bytes: { B: new Uint8Array(1) } })).toThrow('does not store');
});
