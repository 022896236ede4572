import * as v from 'valibot';

/** What a function's thread is started with. */
export const WorkerData = v.object({
  folder: v.string(),
  handler: v.string(),
  functionName: v.string(),
  memorySize: v.number(),
  /** How far the function's clock is ahead of the computer's, in milliseconds: see `MachineClock`. */
  ahead: v.custom<Float64Array>((value) => value instanceof Float64Array),
});
export type WorkerData = v.InferOutput<typeof WorkerData>;

/** One event for the function. */
export const Invocation = v.object({
  id: v.string(),
  event: v.unknown(),
  /** In epoch milliseconds, as the machine's clock tells them. */
  deadline: v.number(),
});
export type Invocation = v.InferOutput<typeof Invocation>;

/** The outcome: the result as JSON, or the error that the handler threw. */
export const Outcome = v.object({
  id: v.string(),
  result: v.optional(v.string()),
  error: v.optional(v.object({ type: v.string(), message: v.string(), stack: v.string() })),
  /** What the function wrote to its standard output meanwhile. */
  output: v.string(),
});
export type Outcome = v.InferOutput<typeof Outcome>;
