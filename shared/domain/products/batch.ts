import { itemFailureOf } from '../../contract/batch.ts';
import { sentences } from '../../contract/errors.ts';
import { refuseOtherValues } from '../../contract/fixed-fields.ts';
import { parse, parseBody } from '../../contract/parse.ts';
import {
  ProductBatchIds,
  ProductUpdate,
  type BatchResult,
  type Product,
  type ProductBatch,
} from '../../contract/products.ts';
import { RequestTaken, type KeptRecord, type Ledger } from '../../ledger/index.ts';
import { products, toProduct, updateProduct } from './products.ts';

/** A product, or only its id if it has changed since the batch changed it. */
type KeptProduct = Product | Pick<Product, 'id'>;
type ProductOutcome = BatchResult | { id: number; status: 'ok'; product: KeptProduct };

/**
 * Changes products one after the other, each in its own transaction. Every item gets a result. Once no time is left,
 * the ledger refuses the rest. `report` gets the error behind each INTERNAL_ERROR. If the batch came before with its
 * `Idempotency-Key`, it goes on: an item that was stored is not changed again.
 * @throws Failure `invalid` if an item has no id to report its result under
 */
export async function updateProducts(
  ledger: Ledger,
  batch: ProductBatch,
  report: (error: unknown) => void,
): Promise<ProductOutcome[]> {
  const ids = parse(ProductBatchIds, batch).updates.map(({ id }) => id);
  const kept = new Map(ledger.keptRecords(products).map((one) => [one.item, one]));
  const results: ProductOutcome[] = [];
  for (const [at, id] of ids.entries()) {
    const before = kept.get(at);
    if (before) {
      results.push({ id, status: 'ok', product: await readKept(ledger, before, id) });
      continue;
    }
    results.push(
      await updateOne(ledger, batch.updates[at], at).catch((error: unknown): BatchResult => {
        if (error instanceof RequestTaken) throw error;
        const { code, message } = itemFailureOf(error);
        if (code === 'INTERNAL_ERROR') report(error);
        return { id, status: 'error', code, message: code === 'NOT_FOUND' ? sentences.noProduct : message };
      }),
    );
  }
  return results;
}

/** A product as the batch left it before; its id alone if it has changed since. */
async function readKept(ledger: Ledger, kept: KeptRecord, id: number): Promise<KeptProduct> {
  const product = await ledger.getAsKept(products, kept);
  return product ? toProduct(product) : { id };
}

async function updateOne(ledger: Ledger, update: unknown, item: number): Promise<BatchResult> {
  const value = parseBody(ProductUpdate, update, { clears: true });
  const { id, pricing = {}, createdAt, updatedAt, ...changes } = value;
  const refuseOutdated = (before: Product) => {
    refuseOtherValues({ createdAt }, before);
  };
  const options = { pricesIn: 'pricing.', item, refuseOutdated };
  const product = await updateProduct(ledger, id, { ...changes, ...pricing }, options);
  return { id, status: 'ok', product };
}
