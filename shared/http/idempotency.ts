import { createHmac, hash } from 'node:crypto';
import * as v from 'valibot';
import { BatchSummary } from '../contract/batch.ts';
import type { Endpoint, Input, RepeatableResponse } from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import { canonicalText } from '../core/canonical-text.ts';
import { Failure, invalid } from '../core/failure.ts';
import {
  RequestTaken,
  type Collection,
  type FunctionCaller,
  type IdOf,
  type KeyedRequest,
  type Ledger,
} from '../ledger/index.ts';
import type { ServedEvent } from './event.ts';

/** Response to a request whose records have changed since: it has their ids alone. */
export interface IdsAlone {
  ids: object;
}

/** Response to a request that came before with its `Idempotency-Key`, and stored something then. */
type Repeat<E extends Endpoint> = (repeated: {
  request: Input<E>;
  /** Ledger that tells what is kept of the request. */
  ledger: Ledger;
  /** Calls the handler, which goes on where the request stopped. */
  goOn: () => Promise<RepeatableResponse<E>>;
}) => Promise<RepeatableResponse<E> | IdsAlone> | RepeatableResponse<E>;

/**
 * Carries out the request of an event: once for each `Idempotency-Key`, and as it is without that header.
 * @throws Failure `invalid` for a malformed key; `unprocessable` if another request came with the key
 */
export type CarryOut<E extends Endpoint> = (
  endpoint: E,
  event: ServedEvent,
  request: Input<E>,
  handle: () => Promise<RepeatableResponse<E>> | RepeatableResponse<E>,
) => Promise<RepeatableResponse<E> | IdsAlone>;

/**
 * Carries a request out once for each `Idempotency-Key`; `repeat` answers it when it comes again. The ledger
 * keeps the request in the transaction of its effect. So a request that stored nothing is carried out again,
 * and one of two at once finds what the other has stored.
 */
export const once =
  <E extends Endpoint>(ledgerOf: (caller: FunctionCaller) => Ledger, repeat: Repeat<E>): CarryOut<E> =>
  async (endpoint, event, request, handle) => {
    const keyed = keyedRequestOf(endpoint, event);
    const { caller } = event;
    if (!keyed || !caller) return handle();
    event.caller = { ...caller, request: keyed };
    const ledger = ledgerOf(event.caller);
    const goOn = async () => handle();
    /** True if a twin has stored the request, or more of it; undefined if no time is left: what is known of this one stands. */
    const hasTwinStored = () => {
      const known = keyed.kept?.revision;
      return ledger.findKept({ isSerializable: true }).then(
        (kept) => kept !== undefined && kept.revision !== known,
        () => undefined,
      );
    };
    event.isReplayed = (await ledger.findKept()) !== undefined;
    /** The failure of this request's own transaction, if its outcome was not known. */
    let unknown: Failure | undefined;
    for (;;) {
      if (keyed.kept && keyed.kept.fingerprint !== keyed.fingerprint) {
        event.isReplayed = false;
        throw new Failure('unprocessable', sentences.otherRequest);
      }
      try {
        const response = event.isReplayed ? await repeat({ request, ledger, goOn }) : await goOn();
        // A request that stores nothing may have found what its twin has stored, and so may an item of a batch.
        if (keyed.kept && !endpoint.batch) return response;
        const hasStored = await hasTwinStored();
        // An item that is told to be unchanged may be stored by the twin.
        if (hasStored === undefined && hasFailedItem(response)) throw new RequestTaken();
        if (!hasStored) return response;
      } catch (error) {
        // Before anything of it is stored, a refusal may be the twin's doing: it has the email that both ask for.
        const isTwins = error instanceof Failure && (!keyed.kept || error instanceof RequestTaken);
        // What a repeat says, such as that nothing was changed, is not so if this request has stored it.
        if (!isTwins) {
          const isLate = error instanceof Failure && error.kind === 'unavailable';
          if (unknown || !isLate) throw unknown ?? error;
          event.isReplayed = false;
          throw new RequestTaken();
        }
        if (error.kind === 'internal') unknown = error;
        const hasStored = await hasTwinStored();
        event.isReplayed = hasStored === true;
        // What the transaction has met may have expired by now.
        if (hasStored || (hasStored === false && error instanceof RequestTaken)) continue;
        throw error;
      }
      event.isReplayed = true;
    }
  };

/**
 * `once` for an endpoint that creates or changes one record, which its answer has in this field. `read` answers with the record.
 */
export const onceStored = <E extends Endpoint, C extends Collection>(
  ledgerOf: (caller: FunctionCaller) => Ledger,
  collection: C,
  field: string,
  read: (ledger: Ledger, id: IdOf<C>, request: Input<E>) => Promise<RepeatableResponse<E>>,
): CarryOut<E> =>
  once(ledgerOf, ({ request, ledger }) => {
    const id = ledger.keptId(collection);
    return unlessChanged(ledger, () => read(ledger, id, request), { [field]: { id } });
  });

/**
 * Returns what is read now, if all that the request stored is as it was; otherwise the ids alone, since the
 * answer of then would be made of what the records no longer have.
 */
export async function unlessChanged<R>(
  ledger: Ledger,
  read: () => Promise<R>,
  ids: object,
): Promise<R | IdsAlone> {
  try {
    // The first time, all of them have become visible. The second time, none of them has changed while they were read.
    if (await ledger.areAllAsKept()) {
      const response = await read();
      if (await ledger.areAllAsKept()) return response;
    }
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'notFound')) throw error;
  }
  return { ids };
}

const BatchResponse = v.object({ body: v.object({ summary: BatchSummary }) });

/** True for the response to a batch of which an item failed. */
const hasFailedItem = (response: object): boolean =>
  v.is(BatchResponse, response) && response.body.summary.failed > 0;

/** Header by which a request is carried out once. */
const header = 'Idempotency-Key';

/** Matches the key with the quotes of the IETF's draft, or without: 1 to 255 visible ASCII characters. */
const keyPattern = /^(?:"([!-~]{1,255})"|([!#-~][!-~]{0,254}))$/;

/**
 * The request by its key; undefined without the header. Neither key nor content can be found by what is kept:
 * the key is hashed, and it is the secret of the content's hash.
 * @throws Failure `invalid` for a malformed key
 */
export function keyedRequestOf({ method, path }: Endpoint, event: ServedEvent): KeyedRequest | undefined {
  const given = event.headers[header.toLowerCase()];
  if (given === undefined) return undefined;
  const [, quoted, key = quoted] = keyPattern.exec(given.trim()) ?? [];
  if (key === undefined)
    throw invalid([{ field: header, message: 'must be 1 to 255 visible ASCII characters' }]);
  const { caller, pathParameters, multiValueQueryStringParameters, json, form, sent } = event;
  const body = sent?.text ?? form ?? json;
  const content = canonicalText([method, path, pathParameters, multiValueQueryStringParameters, body]);
  return {
    id: hash('sha256', canonicalText([caller?.tokenId, method, path, key]), 'base64url'),
    fingerprint: createHmac('sha256', key).update(content).digest('base64url'),
    kept: undefined,
  };
}
