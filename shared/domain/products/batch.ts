import { itemFailureOf } from '../../contract/batch.ts';
import { sentences } from '../../contract/errors.ts';
import { parse, parseBody } from '../../contract/parse.ts';
import {
  ProductBatchIds,
  ProductUpdate,
  type BatchResult,
  type ProductBatch,
} from '../../contract/products.ts';
import { updateProduct } from './products.ts';
import type { Ledger } from '../../ledger/index.ts';

/**
 * Changes products one after the other, each in its own transaction. Every item gets a result. Once no time
 * is left, the ledger refuses the rest. `report` gets the error behind each INTERNAL_ERROR.
 * @throws Failure `invalid` if an item has no id to report its result under
 */
export async function updateProducts(
  ledger: Ledger,
  batch: ProductBatch,
  report: (error: unknown) => void,
): Promise<BatchResult[]> {
  const ids = parse(ProductBatchIds, batch).updates.map(({ id }) => id);
  const results: BatchResult[] = [];
  for (const [at, id] of ids.entries()) {
    results.push(
      await updateOne(ledger, batch.updates[at]).catch((error: unknown) => {
        const { code, message } = itemFailureOf(error);
        if (code === 'INTERNAL_ERROR') report(error);
        return { id, status: 'error', code, message: code === 'NOT_FOUND' ? sentences.noProduct : message };
      }),
    );
  }
  return results;
}

async function updateOne(ledger: Ledger, update: unknown): Promise<BatchResult> {
  const value = parseBody(ProductUpdate, update);
  const { id, pricing = {}, createdAt, updatedAt, ...changes } = value;
  const product = await updateProduct(ledger, id, { ...changes, ...pricing }, { pricesIn: 'pricing.' });
  return { id, status: 'ok', product };
}
