interface Metric {
  unit: 'Count' | 'Milliseconds';
  /** Field of the line that has the metric's dimension. Undefined if the metric has no dimension. */
  by?: 'answer' | 'operation' | 'text';
}

/**
 * Metrics that CloudWatch makes of the log lines of functions, each named as its field in the line. No other place
 * spells a name: `log` emits the metrics, and `infra/stack/watch` uses them in the dashboard and in alarms. Each value
 * of a dimension is a separate metric that costs money, so there are few values.
 */
export const metrics = {
  /** Responses by status, such as `200`. */
  answers: { unit: 'Count', by: 'answer' },
  /** Responses of 500 and above by operation, such as `GET /v1/leads`. Sent only when there are some. */
  serverErrors: { unit: 'Count', by: 'operation' },
  /** Duration of a response below 500, and of the authorizer for a valid token. */
  milliseconds: { unit: 'Milliseconds' },
  readUnits: { unit: 'Count' },
  writeUnits: { unit: 'Count' },
  /** Write transactions sent, retries included. */
  transactions: { unit: 'Count' },
  /** Writes stored. */
  writes: { unit: 'Count' },
  /** Refusals of the ledger for lack of time: whole requests (503), and items of batches. */
  refusals: { unit: 'Count' },
  /**
   * Errors that the response does not mention, except refusals: failed items of batches, SMS outcomes that
   * were not stored.
   */
  hiddenErrors: { unit: 'Count' },
  /** First requests of an execution environment. */
  coldStarts: { unit: 'Count' },
  /** SMS by outcome: `SENT`, or the reason why it was not sent. */
  texts: { unit: 'Count', by: 'text' },
  /** Events that arrived at a receiver of a webhook. */
  deliveries: { unit: 'Count' },
  /** Attempts of a delivery that failed. */
  failedAttempts: { unit: 'Count' },
  /** Webhooks that were disabled because nothing arrives. */
  disabledWebhooks: { unit: 'Count' },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
