import { createHmac, hash } from 'node:crypto';
import * as v from 'valibot';
import { BatchSummary } from '../contract/batch.ts';
import type { Endpoint, Input, RepeatableResponse } from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import { canonicalText } from '../core/canonical-text.ts';
import { Failure, invalid } from '../core/failure.ts';
import { RequestTaken, type FunctionPrincipal, type KeyedRequest, type Ledger } from '../ledger/index.ts';
import { bodyText, type IdentifiedEvent } from './event.ts';

/** Response to a repeated request if its records have changed since: the ids of the records alone. */
export interface IdsAlone {
  ids: object;
}

/** Response to a request that came before with its `Idempotency-Key`, and stored something then. */
export type Repeat<E extends Endpoint> = (repeated: {
  request: Input<E>;
  /** Ledger that gives the kept part of the request. */
  ledger: Ledger;
  /** Calls the handler, which goes on where the request stopped. */
  goOn: () => Promise<RepeatableResponse<E>>;
}) => Promise<RepeatableResponse<E> | IdsAlone> | RepeatableResponse<E>;

/**
 * Carries out the request of an event: once for each `Idempotency-Key`, and every time without that header.
 * @throws Failure `invalid` for a malformed key; `unprocessable` if another request came with the key
 */
export type CarryOut<E extends Endpoint> = (
  endpoint: E,
  event: IdentifiedEvent,
  /** `body`: the body before validation. Requests with the same key must have the same body. */
  request: { input: Input<E>; body: unknown },
  handle: (principal: FunctionPrincipal) => Promise<RepeatableResponse<E>> | RepeatableResponse<E>,
) => Promise<RepeatableResponse<E> | IdsAlone>;

/**
 * Carries a request out once for each `Idempotency-Key`; `repeat` answers the request if it comes again. The ledger
 * keeps the request in the transaction of its effect. So a request that stored nothing is carried out again. If the
 * same request comes twice at once, one finds the records that the other has stored.
 */
export const carryOutOnce =
  <E extends Endpoint>(ledgerOf: (principal: FunctionPrincipal) => Ledger, repeat: Repeat<E>): CarryOut<E> =>
  async (endpoint, event, { input, body }, handle) => {
    const keyed = keyedRequestOf(endpoint, event, body);
    if (!keyed) return handle(event.identified.principal);
    const principal = { ...event.identified.principal, request: keyed };
    const ledger = ledgerOf(principal);
    const goOn = async () => handle(principal);
    /** Failure of this request's own transaction, if the outcome of the transaction is not known. */
    let ownUnknownOutcome: Failure | undefined;

    const afterResponse = async (response: RepeatableResponse<E> | IdsAlone): Promise<Next<E>> => {
      // A request that stores nothing may have found records that its twin has stored. An item of a batch may have, too.
      if (keyed.kept && !endpoint.batch) return { response };
      const twin = await lookForTwin(ledger, keyed);
      if (twin === 'stored') return 'try again';
      // The response says that a failed item changed nothing, but the twin may have stored that item.
      return twin === 'no time left' && hasFailedItem(response)
        ? { error: new RequestTaken() }
        : { response };
    };

    /**
     * Decides what follows a failure.
     *
     * - Something is kept and the failure is not `RequestTaken`, or the error is no Failure: it is not a twin's doing.
     *   A failure for lack of time would say that nothing was changed, so the answer is `RequestTaken`. An earlier
     *   unknown outcome goes before both.
     * - Otherwise a twin may have caused the failure: the twin has the email that both ask for. If the twin has stored
     *   something, the request is tried again, as a repeat.
     * - The twin that the transaction has met may have expired by now: the request is tried again.
     * - No twin, or no time left: the failure stands.
     */
    const afterFailure = async (error: unknown): Promise<Next<E>> => {
      const mayBeTwins = error instanceof Failure && (!keyed.kept || error instanceof RequestTaken);
      if (!mayBeTwins) {
        const isLate = error instanceof Failure && error.kind === 'unavailable';
        return { error: ownUnknownOutcome ?? (isLate ? new RequestTaken() : error) };
      }
      if (error.kind === 'internal') ownUnknownOutcome = error;
      const twin = await lookForTwin(ledger, keyed);
      const hasExpired = twin === 'none' && error instanceof RequestTaken;
      return twin === 'stored' || hasExpired ? 'try again' : { error };
    };

    await ledger.refreshKept();
    // - Nothing is kept after a try: the handler's outcome is the answer.
    // - This request has kept something: the same, but its batch first looks for a twin.
    // - A twin (the same request at the same time) has kept something: `repeat` answers.
    // - No time is left to look: the outcome stands, unless it may deny what is stored. Then: `RequestTaken`.
    for (;;) {
      if (keyed.kept && keyed.kept.fingerprint !== keyed.fingerprint)
        throw new Failure('unprocessable', sentences.otherRequest);
      const isReplay = keyed.kept !== undefined;
      const answer = async () => (isReplay ? repeat({ request: input, ledger, goOn }) : goOn());
      const next = await answer().then(afterResponse, afterFailure);
      if (next === 'try again') continue;
      event.isReplayed = isReplay && !('error' in next && next.error instanceof RequestTaken);
      if ('error' in next) throw next.error;
      return next.response;
    }
  };

/** Step after a try: another try, or the answer. */
type Next<E extends Endpoint> =
  | 'try again'
  | { response: RepeatableResponse<E> | IdsAlone }
  | { error: unknown };

/** Looks for a twin: the same request at the same time, which has stored the request, or more of it. */
function lookForTwin(
  ledger: Ledger,
  { kept: known }: KeyedRequest,
): Promise<'stored' | 'none' | 'no time left'> {
  return ledger.refreshKept({ isSerializable: true }).then(
    (kept) => (kept !== undefined && kept.revision !== known?.revision ? 'stored' : 'none'),
    () => 'no time left',
  );
}

/**
 * Returns the current response of `read` if nobody has changed the records since the request stored them. Otherwise
 * returns the ids alone: the records have changed, so the original answer cannot be rebuilt.
 */
export async function unlessChanged<R>(
  ledger: Ledger,
  read: () => Promise<R>,
  ids: object,
): Promise<R | IdsAlone> {
  try {
    // The first time, all records have become visible. The second time, no record has changed during the read.
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

/** True for the response to a batch with a failed item. */
const hasFailedItem = (response: object): boolean =>
  v.is(BatchResponse, response) && response.body.summary.failed > 0;

/** Header of a request that must be carried out once. */
const header = 'Idempotency-Key';

/** Matches the key with the quotes of the IETF's draft, or without: 1 to 255 visible ASCII characters. */
const keyPattern = /^(?:"([!-~]{1,255})"|([!#-~][!-~]{0,254}))$/;

/**
 * The request by its key; undefined without the header. Neither key nor content can be found from the kept hashes: the
 * key is hashed, and the key is the secret of the content's hash.
 * @throws Failure `invalid` for a malformed key
 */
function keyedRequestOf(
  { method, path, takesEvents }: Endpoint,
  event: IdentifiedEvent,
  body: unknown,
): KeyedRequest | undefined {
  const given = event.headers[header.toLowerCase()];
  if (given === undefined) return undefined;
  const [, quoted, key = quoted] = keyPattern.exec(given.trim()) ?? [];
  if (key === undefined)
    throw invalid([{ field: header, message: 'must be 1 to 255 visible ASCII characters' }]);
  const { identified, pathParameters, multiValueQueryStringParameters } = event;
  // An event is compared as text, because it may be no JSON.
  const sent = takesEvents ? bodyText(event) : body;
  const content = canonicalText([method, path, pathParameters, multiValueQueryStringParameters, sent]);
  return {
    id: hash('sha256', canonicalText([identified.principal.tokenId, method, path, key]), 'base64url'),
    fingerprint: createHmac('sha256', key).update(content).digest('base64url'),
    kept: undefined,
  };
}
