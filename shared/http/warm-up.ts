/**
 * Event with which the worker `keep-warm` calls a function of the API. Each function answers this event first, and
 * writes no line of log. No client can send this event: API Gateway's events have no such field.
 */
export const warmUpEvent = { warmUp: true } as const;

/** Field that only the event above has. */
export type WarmUp = Partial<typeof warmUpEvent>;
