/** Event as another service sent it. */
export interface SentEvent {
  /** Body, as text. */
  text: string;
  /** Body, parsed; undefined if it is no JSON. */
  json: unknown;
}
