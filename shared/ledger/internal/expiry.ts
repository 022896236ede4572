const secondsOfDay = 86_400;

/** Day of a time in epoch milliseconds, counted from 1970 in UTC. */
export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / 1000 / secondsOfDay);

/**
 * Epoch second after which DynamoDB may delete an item. The item lasts `days` days from a time in epoch milliseconds.
 */
export const secondAfterDays = (milliseconds: number, days: number): number =>
  Math.floor(milliseconds / 1000) + days * secondsOfDay;
