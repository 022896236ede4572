/**
 * Event with which the worker `keep-warm` calls a function of the API. Each function answers it before all
 * else, and writes no line of log. No client can send it: API Gateway's events have no such field.
 */
export const warmUpEvent = { warmUp: true } as const;

/** Field that an event has if it is the one above. */
export type WarmUp = Partial<typeof warmUpEvent>;
