import * as v from 'valibot';
import { expect, test } from 'vitest';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  formerKey,
  grantKey,
  headKey,
  listPartition,
  holesPartition,
  phoneNumberKey,
  recordKey,
  redactedPartition,
  uniqueKey,
} from '../../../shared/ledger/internal/keys.ts';

const code = v.parse(OrganizationCode, '6H8EV880');
const owner = { collection: 'LEAD', number: 12 };

test.each(['Ann Lee', 'ann@example.com', 'ANN', 'A#2#B', 'A\nB#LIST'])(
  'a partition is shown without the name of a list, such as %j',
  (name) => {
    const named = listPartition(code, { collection: 'INQUIRY', index: 'gsi5', name });
    const owned = listPartition(code, { collection: 'INQUIRY', index: 'gsi1', name, owner });
    expect(redactedPartition(holesPartition(named))).toBe(`ORG#${code}#INQUIRY#5#…#LIST`);
    expect(redactedPartition(holesPartition(owned))).toBe(`ORG#${code}#LEAD#000000000012#INQUIRY#1#…#LIST`);
    for (const partition of [named, owned])
      expect(redactedPartition(partition)).not.toContain(name.slice(0, 3));
    expect(redactedPartition(grantKey(name).pk)).toBe('TOKEN');
    expect(redactedPartition(phoneNumberKey(name).pk)).toBe('NUMBER');
  },
);

test('any other partition is shown in full', () => {
  const collection = listPartition(code, { collection: 'LEAD' });
  const partitions = [
    headKey(code).pk,
    recordKey(code, 'LEAD', 12).pk,
    uniqueKey(code, { kind: 'LEAD.email', folded: 'ann@example.com' }).pk,
    formerKey(code, 'LEAD', 12).pk,
    ...[collection, holesPartition(collection)],
    ...['gsi1', 'gsi2'].flatMap((index) => {
      const list = listPartition(code, { collection: 'INQUIRY', index: index as 'gsi1', owner });
      return [list, holesPartition(list)];
    }),
  ];
  expect(partitions.map(redactedPartition)).toEqual(partitions);
});
