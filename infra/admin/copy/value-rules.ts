import * as v from 'valibot';
import { isTimeZone } from '../../../shared/core/time-zones.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { messages, threads } from '../../../shared/domain/threads/threads.ts';

const phone = v.pipe(v.string(), v.regex(/^\+[1-9]\d{3,19}$/));
const phoneOrNone = v.union([v.literal(''), phone]);

/** Days of the pipeline (at most 31), each with the counts of new leads and of leads by status, in base 36. */
const days = /^(?:[\da-z]{0,9}(?:,[\da-z]{0,9}){0,6}(?: |$)){0,31}$/;

/**
 * Rules for values that code relies on beyond the schemas of stored records, by collection. The API checks
 * them before it stores a record; a copy that somebody edited may break them.
 */
export const valueRules: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  [organizations.name, v.object({ numbers: v.exactOptional(v.array(v.object({ number: phone }))) })],
  [
    pipelines.name,
    v.object({
      timeZone: v.pipe(v.string(), v.check(isTimeZone)),
      newest: v.pipe(v.string(), v.isoDate()),
      days: v.pipe(v.string(), v.regex(days)),
    }),
  ],
  [leads.name, v.object({ phone: phoneOrNone })],
  [messages.name, v.object({ createdAt: v.pipe(v.string(), v.isoTimestamp()) })],
  [threads.name, v.object({ number: v.exactOptional(phoneOrNone) })],
]);
