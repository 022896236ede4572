import * as v from 'valibot';
import { expect, test } from 'vitest';
import { Heads } from '../../../shared/ledger/heads.ts';
import { OrganizationCode } from '../../../shared/ledger/ids.ts';

const [a, b, c] = ['0000000A', '0000000B', '0000000C'].map((code) => v.parse(OrganizationCode, code));
const head = (version: number) => ({ version, country: 'AU', collections: {} });

test('the newest head seen is remembered, in whatever order they come', () => {
  const heads = new Heads();
  heads.remember(a!, head(2));
  heads.remember(a!, head(1));
  expect(heads.recall(a!)).toEqual(head(2));
  heads.remember(a!, head(3));
  expect(heads.recall(a!)).toEqual(head(3));
  expect(heads.recall(b!)).toBeUndefined();
});

test('the organization that was used least lately is forgotten first', () => {
  const heads = new Heads(2);
  heads.remember(a!, head(1));
  heads.remember(b!, head(1));
  heads.remember(a!, head(2));
  heads.remember(c!, head(1));
  expect([a, b, c].map((code) => heads.recall(code!)?.version)).toEqual([2, undefined, 1]);
});
