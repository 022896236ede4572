import { Failure, sentences, type FailureKind } from '../endpoints/errors.ts';
import { parse } from '../endpoints/parse.ts';
import { ProductUpdate, type BatchCode, type BatchResult, type ProductBatch } from '../endpoints/products.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { updateProduct } from './products.ts';

/**
 * Changes products one after the other, each in a transaction of its own. Every item has a result, whatever becomes of
 * it; those for which no time is left are not begun. `report` is told of what no client can know more about.
 */
export async function updateProducts(
  ledger: Ledger,
  { updates }: ProductBatch,
  report: (error: unknown) => void,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (const update of updates) {
    results.push(
      await updateOne(ledger, update).catch((error: unknown) => {
        const { code, message } = reasonOf(error);
        if (code === 'INTERNAL_ERROR') report(error);
        return { id: update.id, status: 'error' as const, code, message };
      }),
    );
  }
  return results;
}

async function updateOne(ledger: Ledger, update: ProductBatch['updates'][number]): Promise<BatchResult> {
  if (!ledger.hasTime()) throw new Failure('unavailable', sentences.notReached);
  // A client may send back what it read.
  const { createdAt, updatedAt, ...item } = update;
  const { id, pricing = {}, ...changes } = parse(ProductUpdate, item);
  return { id, status: 'ok', product: await updateProduct(ledger, id, { ...changes, ...pricing }) };
}

/** The failures that a client can do something about; any other is an INTERNAL_ERROR. */
const codes: Partial<Record<FailureKind, BatchCode>> = {
  notFound: 'NOT_FOUND',
  invalid: 'VALIDATION_ERROR',
  conflict: 'CONFLICT',
};

function reasonOf(error: unknown): { code: BatchCode; message: string } {
  if (!(error instanceof Failure)) return { code: 'INTERNAL_ERROR', message: sentences.internal };
  const message = error.kind === 'notFound' ? sentences.noProduct : error.message;
  return { code: codes[error.kind] ?? 'INTERNAL_ERROR', message };
}
