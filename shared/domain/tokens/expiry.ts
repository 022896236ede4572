/** Time at which a token expires, in epoch milliseconds, or its lifetime in milliseconds. */
export type Expiry = { at: number } | { after: number };

/** The last time that the API's format can express, in epoch milliseconds. */
export const maxTime = Date.parse('9999-12-31T23:59:59.999Z');

/** Time of an expiry, in the API's format, for a token that is issued `now`. */
export function expiryTime(expiry: Expiry, now: string): string {
  const time = 'at' in expiry ? expiry.at : Date.parse(now) + expiry.after;
  return new Date(Math.min(time, maxTime)).toISOString();
}
