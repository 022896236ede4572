import * as v from 'valibot';
import type { Outcome } from './function-messages.ts';
import { type ConsumedCapacity, newConsumedCapacity } from '../../shared/ledger/index.ts';

const CostLine = v.object({
  operation: v.string(),
  dynamodb: v.object({ calls: v.number(), readUnits: v.number(), writeUnits: v.number() }),
});

/** What a request consumed in DynamoDB, from the functions' log lines. */
export interface Cost {
  endpoint: ConsumedCapacity;
  /** All zero if the token's answer was cached. */
  authorizer: ConsumedCapacity;
}

/** Reads the cost from what the functions logged. */
export function costOf(outcomes: readonly Outcome[]): Cost {
  const cost: Cost = { endpoint: newConsumedCapacity(), authorizer: newConsumedCapacity() };
  for (const line of outcomes.flatMap(linesOf)) {
    const result = v.safeParse(v.pipe(v.string(), v.parseJson(), CostLine), line);
    if (!result.success) continue;
    const { operation, dynamodb } = result.output;
    cost[operation === 'authorize' ? 'authorizer' : 'endpoint'] = dynamodb;
  }
  return cost;
}

/** What the person at the terminal should see of the functions' output: errors, and lines that are not the log's. */
export function troublesOf(outcomes: readonly Outcome[]): string[] {
  const ErrorLine = v.pipe(
    v.string(),
    v.parseJson(),
    v.object({ level: v.literal('error'), error: v.unknown() }),
  );
  const LogLine = v.pipe(v.string(), v.parseJson(), CostLine);
  return outcomes.flatMap((outcome) => [
    ...linesOf(outcome).flatMap((line) => {
      const error = v.safeParse(ErrorLine, line);
      if (error.success) return [textOf(error.output.error)];
      return v.is(LogLine, line) ? [] : [line];
    }),
    ...(outcome.error && outcome.error.message !== 'Unauthorized' ? [outcome.error.stack] : []),
  ]);
}

const linesOf = ({ output }: Outcome) => output.split('\n').filter((line) => line !== '');

function textOf(error: unknown): string {
  const described = v.safeParse(
    v.object({
      stack: v.optional(v.string()),
      message: v.string(),
      cause: v.optional(v.unknown()),
      errors: v.optional(v.array(v.unknown()), []),
    }),
    error,
  );
  if (!described.success) return JSON.stringify(error);
  const { stack, message, cause, errors } = described.output;
  return [
    errors.length > 0 ? message : (stack ?? message),
    ...(cause === undefined ? [] : [`caused by ${textOf(cause)}`]),
    ...errors.map(textOf),
  ].join('\n');
}
