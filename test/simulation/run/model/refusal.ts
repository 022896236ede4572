/** A request that the service must refuse, and how. What is left out is not compared. */
export interface RefusalAnswer {
  status: number;
  /** `error.message`, or the `message` of an SMS failure. */
  message?: string;
  existingId?: string | number;
  /** The field that `error.details` must name. */
  field?: string;
}

/** The model refuses a change. */
export class Refused extends Error {
  readonly answer: RefusalAnswer;

  constructor(answer: RefusalAnswer) {
    super(`${answer.status} ${answer.message ?? ''}`);
    this.answer = answer;
  }
}

export const notFound = (what: string): RefusalAnswer => ({
  status: 404,
  message: `There is no such ${what}`,
});

export const noSuch = (what: string, field: string): RefusalAnswer => ({
  status: 400,
  message: `${field} names no ${what} of the organization`,
});

export const taken = (what: string, existingId: string | number): RefusalAnswer => ({
  status: 409,
  message: `Another ${what}`,
  existingId,
});
