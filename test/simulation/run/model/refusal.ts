import type { Fields } from '../same.ts';

/** Expected response to a request that the service must refuse. */
export interface ErrorResponse {
  status: number;
  /** Reason of the model, for a report. */
  message?: string;
  /** `error.existingId`; there must be none if this is undefined. */
  existingId?: string | number;
  /** Record whose tag the header must contain; there must be no tag if this is undefined. */
  tagged?: Fields;
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

export const tooManyToday: ErrorResponse = { status: 429 };
export const notFound: ErrorResponse = { status: 404 };
/** Error for a wrong value, or one that names no record. */
export const invalid: ErrorResponse = { status: 400 };

/** Error for a value that another record has. */
export const taken = (existingId: string | number): ErrorResponse => ({ status: 409, existingId });
