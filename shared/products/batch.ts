import { Failure, sentences, type FailureKind } from '../endpoints/errors.ts';
import { parseBody } from '../endpoints/parse.ts';
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
  for (const [at, update] of updates.entries()) {
    if (!ledger.hasTime()) {
      report(new Error(`There was no time left for ${updates.length - at} of ${updates.length} items`));
      return [
        ...results,
        ...updates.slice(at).map(({ id }) => failed(id, 'INTERNAL_ERROR', sentences.notReached)),
      ];
    }
    results.push(
      await updateOne(ledger, update).catch((error: unknown) => {
        const [code, message] = reasonOf(error);
        if (code === 'INTERNAL_ERROR') report(error);
        return failed(update.id, code, message);
      }),
    );
  }
  return results;
}

async function updateOne(ledger: Ledger, update: ProductBatch['updates'][number]): Promise<BatchResult> {
  const { id, pricing = {}, createdAt, updatedAt, ...changes } = parseBody(ProductUpdate, update);
  const product = await updateProduct(ledger, id, { ...changes, ...pricing }, { pricesIn: 'pricing.' });
  return { id, status: 'ok', product };
}

const failed = (id: number, code: BatchCode, message: string): BatchResult => ({
  id,
  status: 'error',
  code,
  message,
});

/** The failures that a client can do something about; any other is an INTERNAL_ERROR. */
const codes: Partial<Record<FailureKind, BatchCode>> = {
  notFound: 'NOT_FOUND',
  invalid: 'VALIDATION_ERROR',
  conflict: 'CONFLICT',
};

function reasonOf(error: unknown): [code: BatchCode, message: string] {
  // Anything but a Failure means that nothing was stored.
  if (!(error instanceof Failure)) return ['INTERNAL_ERROR', sentences.itemFailed];
  if (error.kind === 'unavailable') return ['INTERNAL_ERROR', sentences.notReached];
  const message = error.kind === 'notFound' ? sentences.noProduct : error.message;
  return [codes[error.kind] ?? 'INTERNAL_ERROR', message];
}
