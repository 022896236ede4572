import * as v from 'valibot';
import { vi } from 'vitest';
import { OrganizationCode } from '../../shared/core/ids.ts';
import { failureSentences, Failure } from '../../shared/core/failure.ts';
import { log, type LogLine } from '../../shared/http/log.ts';

/** A line of a function's log with every field. A new field that is missing here does not compile. */
export function fullLogLine(): Record<string, unknown> & { error: object } {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const organization = v.parse(OrganizationCode, '6H8EV880');
  const line: Required<LogLine> = {
    requestId: 'r',
    operation: 'o',
    organization: 'o',
    status: 503,
    milliseconds: 1,
    capacity: { calls: 1, readUnits: 1, writeUnits: 1, transactions: 1, writes: 1 },
    coldStarts: 1,
    answers: 1,
    answer: '503',
    serverErrors: 1,
    hiddenErrors: 1,
    texts: 1,
    text: 'SENT',
    deliveries: 1,
    failedAttempts: 1,
    disabledWebhooks: 1,
    attempts: [{ organization, webhook: 1, event: 87, type: 'lead.created', status: 204, milliseconds: 12 }],
    done: 1,
    // A refusal, which is counted.
    error: new AggregateError([new Failure('unavailable', failureSentences.unavailable)], 'Refused'),
  };
  try {
    log(line, []);
    return JSON.parse(String(write.mock.lastCall![0])) as ReturnType<typeof fullLogLine>;
  } finally {
    write.mockRestore();
  }
}
