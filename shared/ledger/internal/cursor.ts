import { hash } from 'node:crypto';
import { invalid } from '../../core/failure.ts';
import { largestNumber } from '../../core/ids.ts';
import type { PageQuery } from '../../core/page.ts';
import type { List } from './lists.ts';

/**
 * A position in a walk through a list: the number that was read last, which no member needs to have any more.
 *
 * A walk goes up from the oldest member, or down from the newest. A member that comes back gets the next number, where
 * a walk down has already been. So a walk down turns at the bottom, and goes up from the number that was the list's
 * last number at the start.
 */
export type Position =
  | { order: 'oldest'; above: number }
  | { order: 'newest'; below: number; turnsTo: number }
  | { order: 'newest'; above: number };

/** The list, without its name: a name such as a tag may be private, and a cursor stands in logs of addresses. */
const digestOf = ({ partition }: List) => hash('sha256', partition, 'base64url').slice(0, 10);
const organizationOf = ({ partition }: List) => partition.split('#')[1] ?? '';

const pattern = /^([\dA-Z]{8})\.([\w-]{10})\.(newest|oldest)((?:\.\d{1,12}){1,2})$/;

export function formatCursor(list: List, position: Position): string {
  const numbers = 'below' in position ? [position.below, position.turnsTo] : [position.above];
  return [organizationOf(list), digestOf(list), position.order, ...numbers].join('.');
}

/**
 * The position that a query continues from; undefined for a page.
 * @throws Failure `invalid` for a page together with a cursor, and for a cursor of another organization, list or order
 */
export function positionOfQuery(list: List, { page, order, after }: PageQuery): Position | undefined {
  if (after === undefined) return undefined;
  if (page !== undefined)
    throw refusal('cannot be combined with page: a walk goes on from where it is', 'page');
  const [, organization, digest, ofCursor, rest = ''] = pattern.exec(after) ?? [];
  if (organization === undefined)
    throw refusal('must be the nextAfter of an answer; leave it out to begin at the start');
  if (organization !== organizationOf(list))
    throw refusal('is a cursor of another organization; leave it out to begin at the start');
  if (digest !== digestOf(list))
    throw refusal('is a cursor of another list or of other filters; leave it out to begin at the start');
  if (order !== undefined && order !== ofCursor)
    throw refusal(`is a cursor of the order ${ofCursor}; send order=${ofCursor}, or leave the order out`);
  const [one = 0, turnsTo] = rest.split('.').slice(1).map(Number);
  if (ofCursor === 'oldest') return { order: 'oldest', above: one };
  return turnsTo === undefined
    ? { order: 'newest', above: one }
    : { order: 'newest', below: Math.min(one, largestNumber), turnsTo };
}

const refusal = (message: string, other?: string) =>
  invalid([
    { field: 'after', message },
    ...(other === undefined ? [] : [{ field: other, message: 'cannot be combined with after' }]),
  ]);

/**
 * The position after a part of a list; null at the end.
 *
 * - `read`: number that was read last.
 * - `isLast`: no member is left in the direction of the walk.
 * - `last`: last number that the list has given out.
 */
export function positionAfter(
  from: Position,
  { read, isLast, last }: { read: number | undefined; isLast: boolean; last: number },
): Position | null {
  if ('above' in from) return isLast || read === undefined ? null : { ...from, above: read };
  if (!isLast && read !== undefined) return { ...from, below: read };
  return from.turnsTo < last ? { order: 'newest', above: from.turnsTo } : null;
}
