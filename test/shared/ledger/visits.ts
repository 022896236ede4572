import * as v from 'valibot';
import type { Collection } from '../../../shared/ledger/index.ts';

const Visit = v.object({
  id: v.number(),
  start: v.string(),
  end: v.string(),
  before: v.number(),
  after: v.number(),
  who: v.array(v.number()),
  text: v.string(),
});
export type Visit = v.InferOutput<typeof Visit>;

/** Visits take time of members, unless nobody comes. */
export const visits = {
  name: 'VISIT',
  label: 'visit',
  schema: Visit,
  searchables: { start: ({ start }: Visit) => start, text: ({ text }: Visit) => text },
  booked: ({ start, end, before: bufferBefore, after: bufferAfter, who: members }: Visit) =>
    members.length === 0 ? undefined : { start, end, bufferBefore, bufferAfter, members },
} as const satisfies Collection;

/** A minute of December 2026: `08 09:00`. */
export const at = (text: string) => `2026-12-${text.replace(' ', 'T')}:00.000Z`;

/** An hour of member 1. */
export const anHour = {
  start: at('08 09:00'),
  end: at('08 10:00'),
  before: 0,
  after: 0,
  who: [1],
  text: '',
} satisfies Omit<Visit, 'id'>;
