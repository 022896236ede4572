import * as v from 'valibot';
import { Failure, type FailureKind } from '../core/failure.ts';
import { sentences } from './errors.ts';
import { count } from './fields.ts';
import type { Words } from './words.ts';

/** How many items a batch can have. */
export const maxBatchItems = 100;

/**
 * The items of a batch, of which each is validated when its turn comes: a wrong one fails alone.
 * @param schema the name that an item's schema is exported under
 */
export const batchOf = (schema: string) =>
  v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(maxBatchItems, sentences.batchTooLarge),
    v.metadata({ items: { $ref: `#/components/schemas/${schema}` } }),
  );

export const batchCodes = ['NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'INTERNAL_ERROR'] as const;
export const BatchCode = v.picklist(batchCodes);
export type BatchCode = (typeof batchCodes)[number];

export const BatchSummary = v.strictObject({ total: count, succeeded: count, failed: count });
export type BatchSummary = v.InferOutput<typeof BatchSummary>;

export const words = {
  BatchCode: { is: 'Why an item of a batch failed' },
  BatchSummary: {
    is: 'How many items of a batch were carried out',
    fields: {
      total: 'How many items there were',
      succeeded: 'How many were carried out',
      failed: 'How many failed',
    },
  },
} satisfies Words;

/** How many of these results are of items that were carried out. */
export function summaryOf(results: readonly { status: 'ok' | 'error' }[]): BatchSummary {
  const total = results.length;
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  return { total, succeeded, failed: total - succeeded };
}

/** The failures that a client can resolve; any other is an INTERNAL_ERROR. */
const codes: Partial<Record<FailureKind, BatchCode>> = {
  notFound: 'NOT_FOUND',
  invalid: 'VALIDATION_ERROR',
  conflict: 'CONFLICT',
};

/** Why an item failed, as its result says it. Anything but a Failure means that nothing of it was stored. */
export function itemFailureOf(error: unknown): { code: BatchCode; message: string } {
  if (!(error instanceof Failure)) return { code: 'INTERNAL_ERROR', message: sentences.itemFailed };
  if (error.kind === 'unavailable') return { code: 'INTERNAL_ERROR', message: sentences.notReached };
  return { code: codes[error.kind] ?? 'INTERNAL_ERROR', message: error.message };
}
