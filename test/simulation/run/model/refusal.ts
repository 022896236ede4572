import type { Fields } from '../same.ts';

/** One field of a request, and what is wrong with it. */
export interface Problem {
  field: string;
  message: string;
}

/** A request that the service must refuse, and how. What is left out is not compared. */
export interface ErrorResponse {
  status: number;
  /** `error.message`, or the `message` of an SMS failure. */
  message?: string;
  /** `error.existingId`; none where it is left out. */
  existingId?: string | number;
  /** The record whose tag the header has; it has none where this is left out. */
  tagged?: Fields;
  /** The field that `error.details` must name. */
  field?: string;
  /** The whole of `error.details`. */
  details?: readonly Problem[];
  /** The header that tells why an SMS was not sent, where there is a `message` alone; none where it is left out. */
  reason?: string;
}

/** The model refuses a change. */
export class Refused extends Error {
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super(`${response.status} ${response.message ?? ''}`);
    this.response = response;
  }
}

/** What something gives; undefined where it is refused. */
export function unlessRefused<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The refusal that something ends in, or none. */
export function refusalsOf(act: () => unknown): ErrorResponse[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof Refused) return [error.response];
    throw error;
  }
}

export const tooManyToday: ErrorResponse = {
  status: 429,
  message: 'Too many requests in one day, try again later',
};

export const notFound = (what: string): ErrorResponse => ({
  status: 404,
  message: `There is no such ${what}`,
});

/** A request with these problems, of which it tells all, the first of them in a sentence. */
export const invalid = (...details: [Problem, ...Problem[]]): ErrorResponse => {
  const [{ field, message }] = details;
  return { status: 400, message: field === '' ? message : `${field} ${message}`, details };
};

export const noSuch = (what: string, field: string): ErrorResponse =>
  invalid({ field, message: `names no ${what} of the organization` });

export const taken = (what: string, field: string, existingId: string | number): ErrorResponse => ({
  status: 409,
  message: `Another ${what}`,
  existingId,
  details: [{ field, message: 'is taken' }],
});
