import * as v from 'valibot';

/** Data that a function's thread starts with. */
export const WorkerData = v.object({
  folder: v.string(),
  handler: v.string(),
  functionName: v.string(),
  memorySize: v.number(),
  /** False if the function may connect to this computer alone. */
  reachesOthers: v.boolean(),
  /** Milliseconds that the function's clock is ahead of the computer's: see `MachineClock`. */
  ahead: v.custom<Float64Array>((value) => value instanceof Float64Array),
});
export type WorkerData = v.InferOutput<typeof WorkerData>;

/** One event for the function. */
export const Invocation = v.object({
  id: v.string(),
  event: v.unknown(),
  /** Epoch milliseconds by the machine's clock. */
  deadline: v.number(),
});
export type Invocation = v.InferOutput<typeof Invocation>;

/** Outcome of an invocation: the result as JSON, or the error that the handler threw. */
export const Outcome = v.object({
  id: v.string(),
  result: v.optional(v.string()),
  error: v.optional(v.object({ type: v.string(), message: v.string(), stack: v.string() })),
  /** Standard output of the function during the invocation. */
  output: v.string(),
});
export type Outcome = v.InferOutput<typeof Outcome>;
