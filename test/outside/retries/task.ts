/** A request, and its `Idempotency-Key`. */
export interface KeyedRequest {
  path: string;
  body: object;
  key: string;
}

/** Requests that a client sends to the proxy, repeating each until it is answered. */
export interface Task {
  baseUrl: string;
  token: string;
  requests: readonly KeyedRequest[];
}

/** Final answer to a request. */
export interface Answer {
  status: number;
  /** True if the answer was kept from an earlier try. */
  isReplayed: boolean;
  body: unknown;
}
