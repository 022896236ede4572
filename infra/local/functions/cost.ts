import * as v from 'valibot';
import { type ConsumedCapacity, newConsumedCapacity } from '../../../shared/ledger/index.ts';
import type { Outcome } from './function-messages.ts';

const CostLine = v.object({
  operation: v.string(),
  calls: v.number(),
  readUnits: v.number(),
  writeUnits: v.number(),
  transactions: v.number(),
  writes: v.number(),
});

/** DynamoDB capacity that a request consumed, from the functions' log lines. */
export interface Cost {
  endpoint: ConsumedCapacity;
  /** All zero if the authorizer's answer was cached. */
  authorizer: ConsumedCapacity;
}

/** Reads the cost from the functions' log lines. */
export function costOf(outcomes: readonly Outcome[]): Cost {
  const cost: Cost = { endpoint: newConsumedCapacity(), authorizer: newConsumedCapacity() };
  for (const line of outcomes.flatMap(linesOf)) {
    const result = v.safeParse(v.pipe(v.string(), v.parseJson(), CostLine), line);
    if (!result.success) continue;
    const { operation, ...consumed } = result.output;
    cost[operation === 'authorize' ? 'authorizer' : 'endpoint'] = consumed;
  }
  return cost;
}

/** Extracts what the terminal shows of the functions' output: errors, and lines that are not log lines. */
export function troublesOf(outcomes: readonly Outcome[]): string[] {
  const ErrorLine = v.pipe(
    v.string(),
    v.parseJson(),
    v.object({ level: v.literal('error'), error: v.unknown() }),
  );
  const LogLine = v.pipe(v.string(), v.parseJson(), CostLine);
  return outcomes.flatMap((outcome) => {
    const lines = linesOf(outcome);
    const troubles = lines.flatMap((line) => {
      const error = v.safeParse(ErrorLine, line);
      if (error.success) return [textOf(error.output.error)];
      return v.is(LogLine, line) ? [] : [line];
    });
    // A function that throws has logged the error, unless it failed before it could.
    const isLogged = lines.some((line) => v.is(LogLine, line));
    return outcome.error && !isLogged ? [...troubles, outcome.error.stack] : troubles;
  });
}

const linesOf = ({ output }: Outcome) => output.split('\n').filter((line) => line !== '');

function textOf(error: unknown): string {
  const described = v.safeParse(
    v.object({
      stack: v.optional(v.string()),
      message: v.string(),
      cause: v.optional(v.unknown()),
      errors: v.optional(v.array(v.unknown()), []),
      more: v.optional(v.number()),
    }),
    error,
  );
  if (!described.success) return JSON.stringify(error);
  const { stack, message, cause, errors, more } = described.output;
  return [
    errors.length > 0 ? message : (stack ?? message),
    ...(cause === undefined ? [] : [`caused by ${textOf(cause)}`]),
    ...errors.map(textOf),
    ...(more === undefined ? [] : [`and ${more} more`]),
  ].join('\n');
}
