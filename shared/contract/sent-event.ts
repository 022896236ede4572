/** Event as another service sent it. */
export interface SentEvent {
  /** Body, as text. */
  text: string;
  /** Body, parsed; undefined if it is no JSON. */
  json: unknown;
  /** True if the sender's token has a signing secret, and the request was signed with it. False without a secret. */
  isSigned: boolean;
}
