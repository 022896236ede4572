/** The model refuses a change that a transaction makes, with a reason for the report. */
export class Refused extends Error {}
