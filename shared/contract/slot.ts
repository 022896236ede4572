import * as v from 'valibot';
import { timestamp } from './fields.ts';
import type { Descriptions } from './descriptions.ts';

/** Time that is offered for an appointment. */
export const Slot = v.strictObject({
  start: timestamp,
  end: timestamp,
  userIds: v.array(v.string()),
  say: v.string(),
});
export type Slot = v.InferOutput<typeof Slot>;

export const descriptions = {
  Slot: {
    is: 'A time that is free',
    fields: {
      start: 'When it begins',
      end: 'When it ends',
      userIds: 'The users who are free then; who is proposed comes first',
      say: 'Its beginning in the local time, as an English phrase that can be read out',
    },
  },
} satisfies Descriptions;
