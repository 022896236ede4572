import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';

/** Media type of an answer to be read out. */
export const saidType = 'application/vnd.said+json';

export const SaidFormat = v.picklist(['say']);

/** Query parameter for an answer to be read out: docs/reference/calls.md, Answers to be read out. */
export const SaidQuery = v.object({ format: v.optional(SaidFormat) });

export type SaidQuery = v.InferOutput<typeof SaidQuery>;

export const descriptions = {
  SaidFormat: { is: 'The form of an answer: `say` for a small answer with a sentence to be read out' },
  SaidQuery: {
    is: 'How the answer is shown',
    fields: {
      format: '`say` for a small answer with a sentence to be read out; the whole one when not given',
    },
  },
} satisfies Descriptions;
