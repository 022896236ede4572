interface Metric {
  unit: 'Count' | 'Milliseconds';
  /** The field of the line whose text is the metric's dimension; without one, it has none. */
  by?: 'answer' | 'operation' | 'text';
}

/**
 * The metrics that CloudWatch makes of the log lines of functions, each named as its field in the line. The only place
 * that spells a name: `log` emits them, and `infra/stack/watch` shows them and raises alarms by them.
 * Each value of a dimension is a metric of its own that costs money, so there are few.
 */
export const metrics = {
  /** Answers, by their status: `200`. */
  answers: { unit: 'Count', by: 'answer' },
  /** Answers of 500 and more, by operation: `GET /v1/leads`. Sent only when there are some. */
  serverErrors: { unit: 'Count', by: 'operation' },
  /** How long a function took for an answer below 500, and the authorizer for a token that it granted. */
  milliseconds: { unit: 'Milliseconds' },
  /** Read units of DynamoDB. */
  readUnits: { unit: 'Count' },
  /** Write units of DynamoDB. */
  writeUnits: { unit: 'Count' },
  /** Write transactions sent. */
  transactions: { unit: 'Count' },
  /** Writes stored. */
  writes: { unit: 'Count' },
  /** What the ledger refused since there was no time left: whole requests (503), and items of batches. */
  refusals: { unit: 'Count' },
  /** What went wrong behind an answer that does not tell, but for refusals: items of batches, outcomes of texts not stored. */
  hiddenErrors: { unit: 'Count' },
  /** First requests of an execution environment. */
  coldStarts: { unit: 'Count' },
  /** Text messages, by what became of them: `SENT`, or the reason why not. */
  texts: { unit: 'Count', by: 'text' },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
