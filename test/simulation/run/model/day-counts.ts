/** Maximum number of forms per key and day. It is low, so that some are refused. */
export const maxFormsPerDay = 12;

const day = 86_400_000;

/** Name of the item that counts something on the day (UTC) of a time. */
export const dayCountName = (code: string, counted: string, at: number): string =>
  `ORG#${code}#DAY ${counted}#${new Date(at).toISOString().slice(0, 10)}`;

/** Expiry of a count, in epoch seconds: the end of the day after the counted one. */
export const expiryOf = (at: number): number => ((Math.floor(at / day) + 2) * day) / 1000;
