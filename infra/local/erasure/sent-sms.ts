import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { messages } from '../../../shared/domain/threads/threads.ts';
import { writeAtomically } from '../write-atomically.ts';
import type { ErasedLead } from './erased-lead.ts';

/** A line of the file of SMS sent. */
const SentSmsLine = v.object({
  to: v.string(),
  context: v.object({ organization: v.string(), message: v.optional(v.string()) }),
});

/** Records per read. */
const perRead = 100;

/**
 * Removes an erased lead's SMS from the file of SMS sent: those of messages that are no longer stored, and
 * those without a message, such as the answer to a stranger's STOP, if no lead has the number. Returns the
 * numbers that received them, in comparable form.
 */
export async function removeSentSms(file: string, erased: ErasedLead): Promise<Set<string>> {
  const gone = new Map<string, string>();
  const sent = linesOf(file).flatMap((line) => {
    const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), SentSmsLine), line);
    return success ? [{ line, ...output }] : [];
  });
  const ours = sent.filter(({ context }) => context.organization === erased.ledger.organization);
  const stored = await storedOf(
    ours.flatMap(({ context }) => context.message ?? []),
    erased,
  );
  for (const { line, to, context } of ours) {
    const { message } = context;
    if (message === undefined ? await erased.belongsToNoLead(to) : !stored.has(Number(message)))
      gone.set(line, to);
  }
  // Read again, since SMS may have been sent meanwhile.
  const stay = linesOf(file).filter((line) => !gone.has(line));
  if (gone.size > 0) writeAtomically(file, stay.map((line) => `${line}\n`).join(''));
  return new Set(gone.values().map(comparableNumber));
}

const linesOf = (file: string) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** Numbers of the given messages that are stored. */
async function storedOf(numbers: readonly string[], { ledger }: ErasedLead): Promise<Set<number>> {
  const stored = new Set<number>();
  for (let at = 0; at < numbers.length; at += perRead) {
    const found = await ledger.getMany(messages, numbers.slice(at, at + perRead).map(Number));
    for (const number of found.keys()) stored.add(number);
  }
  return stored;
}
