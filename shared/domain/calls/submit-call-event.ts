import { hash } from 'node:crypto';
import type { CallEventTaken } from '../../contract/call-events.ts';
import type { SentEvent } from '../../contract/sent-event.ts';
import { Failure } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { fieldsInJson } from '../forms/flatten-json.ts';
import { createFormSubmission } from '../forms/create-form-submission.ts';
import { readCallEvent } from './read-call-event.ts';
import { recordCall, type KeyLimit } from './record-call.ts';

const maybeStored = 'Whether the event was stored is not known; send it again, which stores it once';

/**
 * Takes an event of a voice platform: stores its call or, if its shape is unknown, its fields for a person to see. A
 * key's limit applies to both, but not to calls of signed events.
 * @throws Failure `unavailable` if the event may not be stored: sending it again is harmless; `throttled` beyond the
 * limit
 */
export async function submitCallEvent(
  ledger: Ledger,
  { text, json, isSigned }: SentEvent,
  { keyId, maxPerDay }: KeyLimit,
): Promise<CallEventTaken> {
  const event = readCallEvent(json);
  if (event && 'ignored' in event) return { stored: false, reason: event.ignored };
  try {
    if (event) {
      // Anyone who knows the key can make up calls. A signature proves that the platform reports the calls, however
      // many there are.
      await recordCall(ledger, event.call, isSigned ? undefined : { keyId, maxPerDay });
      return { stored: true };
    }
    return await keepFields(ledger, text, { keyId, maxPerDay });
  } catch (error) {
    // The event may or may not be stored. Sending it again is safe, because it is stored once.
    if (error instanceof Failure && error.kind === 'internal')
      throw new Failure('unavailable', maybeStored, { retryAfter: 1, cause: error });
    throw error;
  }
}

/** Stores an event of an unknown shape as a form, once for each text. */
async function keepFields(
  ledger: Ledger,
  text: string,
  { keyId, maxPerDay }: KeyLimit,
): Promise<CallEventTaken> {
  const sent = fieldsInJson(text);
  if (!sent || sent.fields.length === 0) return { stored: false, reason: 'The body has no fields' };
  const form = { ...sent, site: undefined, keyId };
  const submissionId = hash('sha256', text, 'base64url').slice(0, 22);
  const { isPing } = await createFormSubmission(ledger, form, { maxPerDay, submissionId });
  return isPing ? { stored: false, reason: 'The event is a ping' } : { stored: true };
}
