import type { Fields } from '../same.ts';

/** A field of a request, and its error. */
export interface Problem {
  field: string;
  message: string;
}

/** Expected response to a request that the service must refuse. Fields left out are not compared. */
export interface ErrorResponse {
  status: number;
  /** `error.message`, or the `message` of a failed SMS. */
  message?: string;
  /** `error.existingId`; there must be none if this is undefined. */
  existingId?: string | number;
  /** Record whose tag the header must contain; there must be no tag if this is undefined. */
  tagged?: Fields;
  /** Field that `error.details` must name. */
  field?: string;
  /** All of `error.details`. */
  details?: readonly Problem[];
  /**
   * Header with the reason of a failed SMS, whose body has only a `message`; there must be none if this is
   * undefined.
   */
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

/** Returns a function's result; undefined if the model refuses. */
export function unlessRefused<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Returns the error with which a function is refused, or none. */
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

/** Error for these problems: the message is about the first one, the details name all. */
export const invalid = (...details: [Problem, ...Problem[]]): ErrorResponse => {
  const [{ field, message }] = details;
  return { status: 400, message: field === '' ? message : `${field} ${message}`, details };
};

export const noSuch = (what: string, field: string): ErrorResponse =>
  invalid({ field, message: `names no ${what} of the organization` });

/** Error for a record that others use: their number by their label. None if there are no others. */
export function inUse(what: string, users: Readonly<Record<string, number>>): ErrorResponse[] {
  return Object.entries(users)
    .filter(([, count]) => count > 0)
    .map(([user, count]) => {
      const by = `${count} ${user}${count === 1 ? '' : 's'}`;
      const details = [{ field: `${user}s`, message: `${by} use${count === 1 ? 's' : ''} it` }];
      return { status: 409, message: `The ${what} is in use by ${by}`, details };
    });
}

/** Error for a value that another record has. */
export const taken = (existingId: string | number): ErrorResponse => ({ status: 409, existingId });
