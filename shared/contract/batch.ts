import * as v from 'valibot';
import { Failure, type FailureCode, type FailureKind } from '../core/failure.ts';
import { sentences } from './errors.ts';
import { count } from './fields.ts';
import type { Descriptions } from './descriptions.ts';

/** Maximum number of items of a batch. */
export const maxBatchItems = 100;

const batchTooLarge: FailureCode = 'BATCH_TOO_LARGE';

/**
 * Items of a batch. Each item is validated only when it is carried out, so a wrong item fails alone.
 * @param schema name under which the schema of an item is exported
 */
export const batchOf = (schema: string) =>
  v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    {
      ...v.maxLength<unknown[], number, string>(maxBatchItems, sentences.batchTooLarge),
      code: batchTooLarge,
    },
    v.metadata({ items: { $ref: `#/components/schemas/${schema}` } }),
  );

export const batchCodes = ['NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'INTERNAL_ERROR'] as const;
export const BatchCode = v.picklist(batchCodes);
export type BatchCode = (typeof batchCodes)[number];

export const BatchSummary = v.strictObject({ total: count, succeeded: count, failed: count });
export type BatchSummary = v.InferOutput<typeof BatchSummary>;

export const descriptions = {
  BatchCode: { is: 'Why an item of a batch failed' },
  BatchSummary: {
    is: 'How many items of a batch were carried out',
    fields: {
      total: 'How many items there were',
      succeeded: 'How many were carried out',
      failed: 'How many failed',
    },
  },
} satisfies Descriptions;

/** Counts the successful and the failed items of a batch. */
export function summaryOf(results: readonly { status: 'ok' | 'error' }[]): BatchSummary {
  const total = results.length;
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  return { total, succeeded, failed: total - succeeded };
}

/** Codes of failures that a client can resolve. Any other failure is an INTERNAL_ERROR. */
const codes: Partial<Record<FailureKind, BatchCode>> = {
  notFound: 'NOT_FOUND',
  invalid: 'VALIDATION_ERROR',
  conflict: 'CONFLICT',
};

/** Code and message of a failed item. Any error but a Failure means that nothing of the item was stored. */
export function itemFailureOf(error: unknown): { code: BatchCode; message: string } {
  if (!(error instanceof Failure)) return { code: 'INTERNAL_ERROR', message: sentences.itemFailed };
  if (error.kind === 'unavailable') return { code: 'INTERNAL_ERROR', message: sentences.notReached };
  return { code: codes[error.kind] ?? 'INTERNAL_ERROR', message: error.message };
}
