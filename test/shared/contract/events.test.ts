import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { namedTypes, publicEventNames, publicKindOf } from '../../../shared/contract/events.ts';

const { operations } = await findContracts();

test('events tell of the records that an operation reads one by one, and of no others', () => {
  const read = operations.flatMap(({ endpoint }) => {
    const { method, params, record, scope } = endpoint;
    // A schedule is a part of its member.
    if (method !== 'GET' || !record || record.in === 'schedule') return [];
    const [id = 'organizationId'] = Object.keys(params);
    return [[record.in ?? id.replace(/Id$/, ''), scope] as const];
  });
  expect(Object.fromEntries(read)).toEqual(namedTypes);
});

test('each public name of an event but OTHER is about such a record', () => {
  const without = publicEventNames.filter((name) => publicKindOf(name).about === undefined);
  expect(without).toEqual(['OTHER']);
  expect(publicEventNames.filter((name) => publicKindOf(name).name !== name)).toEqual([]);
});

test('an event that only a newer version knows is shown as OTHER', () => {
  expect(publicKindOf('LEAD_PAINTED')).toEqual({ name: 'OTHER' });
});
