import type { Outcome } from '../functions/function-messages.ts';
import type { Coding } from './compression.ts';

/** A request as received over the wire. */
export interface HttpRequest {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
  /** Headers in their original order and case. */
  headers: [name: string, value: string][];
  body: Buffer;
  sourceIp: string;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Compression of the body on the wire; none by default. */
  coding?: Coding | undefined;
  /** Outcomes of the functions that ran, the endpoint's last. */
  outcomes: Outcome[];
}
