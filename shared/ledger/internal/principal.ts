import type { OrganizationCode } from '../../core/ids.ts';
import type { Reach } from './access.ts';
import type { ConsumedCapacity } from './consumed-capacity.ts';
import type { KeyedRequest } from './keyed-request.ts';

/** The principal that the ledger acts for, and the principal's limits. */
export interface Principal {
  /** Organization of the token, from the authorizer. There is no other source. */
  organization: OrganizationCode;
  /** The user that the token acts for. Every event names it. */
  userId: string;
  /**
   * Number of the token, and API Gateway's id of the request. Every event has both. Undefined if nobody sent a request.
   */
  tokenId?: number;
  requestId?: string;
  /** Definition of the function that acts for the principal. Undefined for the operator's command line. */
  reach?: Reach;
  /** Epoch milliseconds after which no call begins. Read for each call, so a worker may move it. */
  deadline: number;
  capacity: ConsumedCapacity;
  /** The request, if it came with an `Idempotency-Key`. */
  request?: KeyedRequest;
}

/** The principal of a function. A function must state its `reach`. */
export type FunctionPrincipal = Principal & Required<Pick<Principal, 'reach'>>;
