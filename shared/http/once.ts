import type { Endpoint, Input, RepeatableResponse } from '../contract/endpoint.ts';
import type { Collection, IdOf, Ledger } from '../ledger/index.ts';
import { carryOutOnce, unlessChanged, type CarryOut, type Repeat } from './idempotency.ts';
import { ledgerOf } from './outside/table.ts';

/** Carries a request out once for each `Idempotency-Key`, in the function's table: see `carryOutOnce`. */
export const once = <E extends Endpoint>(repeat: Repeat<E>): CarryOut<E> => carryOutOnce(ledgerOf, repeat);

/**
 * `once` for an endpoint that creates or changes one record. `field`: field of the answer with the record. `read`
 * answers with the record.
 */
export const onceStored = <E extends Endpoint, C extends Collection>(
  collection: C,
  field: string,
  read: (ledger: Ledger, id: IdOf<C>, request: Input<E>) => Promise<RepeatableResponse<E>>,
): CarryOut<E> =>
  once(({ request, ledger }) => {
    const id = ledger.keptId(collection);
    return unlessChanged(ledger, () => read(ledger, id, request), { [field]: { id } });
  });
